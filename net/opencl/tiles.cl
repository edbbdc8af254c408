// Transforms of tiles of SIZE*SIZE cells to POINTS*POINTS points, which are stride numbers apart,
// and back.

// toPointsSIZE transforms cells, which it overwrites, to points v.
INLINE void toPointsSIZE(float *cells, global float *v, ulong stride)
{
	float lines[POINTS * POINTS];
	#pragma unroll
	for (int p = 0; p < POINTS; p++) lineToPointsSIZE(lines + p, cells + p, POINTS);
	#pragma unroll
	for (int p = 0; p < POINTS; p++) {
		lineToPointsSIZE(cells + p * POINTS, lines + p * POINTS, 1);
		#pragma unroll
		for (int q = 0; q < POINTS; q++) v[(p * POINTS + q) * stride] = cells[p * POINTS + q];
	}
}

// toLinesSIZE transforms the columns of points v to lines [SIZE, POINTS].
INLINE void toLinesSIZE(float *lines, global const float *v, ulong stride)
{
	float points[POINTS * POINTS];
	#pragma unroll
	for (int p = 0; p < POINTS * POINTS; p++) points[p] = v[p * stride];
	#pragma unroll
	for (int p = 0; p < POINTS; p++) lineToCellsSIZE(lines + p, points + p, POINTS);
}

// inputSIZE transforms x to points v.
kernel void inputSIZE(global const float *x, global float *v, int height, int width, int channels, int tilesX, int tiles, int total, ulong stride)
{
	const int i = get_global_id(0);
	if (i >= total) return;
	const int c = i % channels, tile = i / channels % tiles, row = i / channels / tiles;
	const int top = tile / tilesX * SIZE - 1, left = tile % tilesX * SIZE - 1;
	x += (size_t)row * height * width * channels + c;
	float cells[POINTS * POINTS];
	#pragma unroll
	for (int p = 0; p < POINTS * POINTS; p++) {
		const int y = top + p / POINTS, z = left + p % POINTS;
		cells[p] = y >= 0 && y < height && z >= 0 && z < width ? x[(y * width + z) * channels] : 0;
	}
	toPointsSIZE(cells, v + i, stride);
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
	const float offset = bias[c] + (flags & ROW_BIAS ? rowBias[(size_t)row * channels + c] : 0);
	float lines[SIZE * POINTS], cells[SIZE];
	toLinesSIZE(lines, v + i, stride);
	#pragma unroll
	for (int p = 0; p < SIZE; p++) {
		lineToCellsSIZE(cells, lines + p * POINTS, 1);
		#pragma unroll
		for (int q = 0; q < SIZE; q++) {
			if (top + p >= height || left + q >= width) continue;
			const size_t at = corner + (size_t)((top + p) * width + left + q) * channels;
			y[at] = activation(cells[q] + offset, residual + at, flags);
		}
	}
}

// throughSIZE is outputSIZE and inputSIZE of the next convolution, on a board of one tile, and
// means. It writes y and mean only if KEEP and MEAN are set. The results are the same.
kernel void throughSIZE(global const float *v, global float *y, global const float *bias, global const float *rowBias, global const float *residual, global float *next, global float *mean, int height, int width, int channels, int total, ulong stride, int flags)
{
	const int i = get_global_id(0);
	if (i >= total) return;
	const int c = i % channels, row = i / channels;
	const size_t corner = (size_t)row * height * width * channels + c;
	const float offset = bias[c] + (flags & ROW_BIAS ? rowBias[i] : 0);
	float lines[SIZE * POINTS], cells[POINTS * POINTS], sum = 0;
	toLinesSIZE(lines, v + i, stride);
	#pragma unroll
	for (int p = 0; p < POINTS * POINTS; p++) cells[p] = 0;
	#pragma unroll
	for (int p = 0; p < SIZE; p++) {
		float line[SIZE];
		lineToCellsSIZE(line, lines + p * POINTS, 1);
		#pragma unroll
		for (int q = 0; q < SIZE; q++) {
			if (p >= height || q >= width) continue;
			const size_t at = corner + (size_t)(p * width + q) * channels;
			const float cell = activation(line[q] + offset, residual + at, flags);
			cells[(p + 1) * POINTS + q + 1] = cell;
			sum += cell;
			if (flags & KEEP) y[at] = cell;
		}
	}
	if (flags & MEAN) mean[i] = sum / (height * width);
	toPointsSIZE(cells, next + i, stride);
}
