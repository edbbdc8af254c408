// Transforms of tiles of SIZE*SIZE cells to POINTS*POINTS points and back.

// inputSIZE transforms x to points v, which are stride numbers apart.
kernel void inputSIZE(global const float *x, global float *v, int height, int width, int channels, int tilesX, int tiles, int total, ulong stride)
{
	const int i = get_global_id(0);
	if (i >= total) return;
	const int c = i % channels, tile = i / channels % tiles, row = i / channels / tiles;
	const int top = tile / tilesX * SIZE - 1, left = tile % tilesX * SIZE - 1;
	x += (size_t)row * height * width * channels + c;
	v += i;
	float cells[POINTS * POINTS], lines[POINTS * POINTS];
	#pragma unroll
	for (int p = 0; p < POINTS * POINTS; p++) {
		const int y = top + p / POINTS, z = left + p % POINTS;
		cells[p] = y >= 0 && y < height && z >= 0 && z < width ? x[(y * width + z) * channels] : 0;
	}
	#pragma unroll
	for (int p = 0; p < POINTS; p++) lineToPointsSIZE(lines + p, cells + p, POINTS);
	#pragma unroll
	for (int p = 0; p < POINTS; p++) {
		lineToPointsSIZE(cells + p * POINTS, lines + p * POINTS, 1);
		#pragma unroll
		for (int q = 0; q < POINTS; q++) v[(p * POINTS + q) * stride] = cells[p * POINTS + q];
	}
}

// outputSIZE transforms points v to y, and adds bias [channels], rowBias [rows, channels] if
// ROW_BIAS is set, and the activations residual, which may be y, if RESIDUAL is set.
kernel void outputSIZE(global const float *v, global float *y, global const float *bias, global const float *rowBias, global const float *residual, int height, int width, int channels, int tilesX, int tiles, int total, ulong stride, int flags)
{
	const int i = get_global_id(0);
	if (i >= total) return;
	const int c = i % channels, tile = i / channels % tiles, row = i / channels / tiles;
	const int top = tile / tilesX * SIZE, left = tile % tilesX * SIZE;
	const size_t corner = (size_t)row * height * width * channels + c;
	v += i;
	float points[POINTS * POINTS], lines[SIZE * POINTS], cells[SIZE];
	#pragma unroll
	for (int p = 0; p < POINTS * POINTS; p++) points[p] = v[p * stride];
	#pragma unroll
	for (int p = 0; p < POINTS; p++) lineToCellsSIZE(lines + p, points + p, POINTS);
	float offset = bias[c];
	if (flags & ROW_BIAS) offset += rowBias[(size_t)row * channels + c];
	#pragma unroll
	for (int p = 0; p < SIZE; p++) {
		lineToCellsSIZE(cells, lines + p * POINTS, 1);
		#pragma unroll
		for (int q = 0; q < SIZE; q++) {
			if (top + p >= height || left + q >= width) continue;
			const size_t at = corner + (size_t)((top + p) * width + left + q) * channels;
			float sum = cells[q] + offset;
			if (flags & RESIDUAL) sum += residual[at];
			y[at] = flags & RELU ? relu(sum) : sum;
		}
	}
}
