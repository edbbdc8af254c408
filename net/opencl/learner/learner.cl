// The kernels of the learner.
//
// Activations and their gradients are [rows, cells, channels], all in one buffer, called memory.
// Channels are padded with zeros to multiples of 16. The weights of a layer are [in, out], and of a
// convolution of 3x3 [taps, in, out]. The order of every sum depends on sizes alone.
//
// The program is built for one of two kinds of devices. For a processor, a work-item computes a
// tile of 4 by 16 numbers in registers. For a graphics card (TILED), a work-group of 16 by 16
// work-items computes a tile of 64 by 64 numbers from parts in local memory, and each work-item
// fetches its share of the next parts during the products. A work-group of LANES work-items
// computes a row of the batch or a part of the parameters.

#pragma OPENCL FP_CONTRACT OFF

#define NONE (-1)
#define DEPTH 16 // products between two barriers; a divisor of all channels

// layer is a layer, forward or backward.
typedef struct {
	int x, y, grad;    // input, output, and gradient with respect to the output, in memory
	int cells;         // of a row
	int height, width; // of the board of a convolution
	int taps;          // 9 for a convolution of 3x3, otherwise 1
	int in, out;       // channels
	int weight;        // among the parameters
	int bias;          // likewise, or NONE
	int rowBias;       // [rows, out], added to every cell of a row, or NONE
	int residual;      // laid out like the output and added to it, or NONE
	int mask;          // laid out like the output, which is 0 where the mask is not positive, or NONE
	int relu;          // whether the output passes a ReLU
} layer;

// Functions are inlined, so that their arrays are registers.
#define INLINE static inline __attribute__((always_inline))

// FINISH defines a function that computes outputs of a cell from their sums of products.
#define FINISH(name, type, at) \
	INLINE type name(global const float *memory, global const float *bias, const layer *l, int cell, int o, type sum) \
	{ \
		if (l->bias != NONE) \
			sum += at(bias + l->bias + o); \
		if (l->rowBias != NONE) \
			sum += at(memory + l->rowBias + cell / l->cells * l->out + o); \
		if (l->residual != NONE) \
			sum += at(memory + l->residual + cell * l->out + o); \
		if (l->mask != NONE) \
			sum = select((type)(0), sum, at(memory + l->mask + cell * l->out + o) > 0.0f); \
		return l->relu ? select(sum, (type)(0), sum < 0.0f) : sum; /* keeps what is not a number */ \
	}
#define ONE(p) (*(p))
#define FOUR(p) (*(global const float4 *)(p)) // all arrays are multiples of 16 numbers
FINISH(finish, float, ONE)
FINISH(finish4, float4, FOUR)

// UNROLL keeps the arrays of the loops that follow it in the registers of a graphics card.
#ifdef TILED
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

// Convolutions are computed in tiles of SIZE by SIZE cells, which have SQUARE points (package
// kernel, tiling).
#define POINTS (SIZE + 2)
#define SQUARE (POINTS * POINTS)

// TRANSFORM multiplies the columns and then the rows of x [inputs, inputs] by a matrix.
#define TRANSFORM(line, y, x, results, inputs) \
	{ \
		float columns[(results) * (inputs)]; \
		UNROLL \
		for (int q = 0; q < (inputs); q++) \
			line(columns + q, x + q, inputs); \
		UNROLL \
		for (int p = 0; p < (results); p++) \
			line(y + p * (results), columns + p * (inputs), 1); \
	}

// EACH_TILE finds the channel, the tile and the row of a work-item.
#define EACH_TILE(channels) \
	int id = get_global_id(0); \
	if (id >= total) \
		return; \
	int height = l->height, width = l->width; \
	int tilesX = (width + SIZE - 1) / SIZE, tiles = (height + SIZE - 1) / SIZE * tilesX; \
	int channel = id % (channels), tile = id / (channels) % tiles, row = id / (channels) / tiles; \
	int top = tile / tilesX * SIZE, left = tile % tilesX * SIZE;

// toPoints transforms the inputs of layers to points [layer, point, row, tile, channel].
kernel void toPoints(global const float *memory, global float *points, global const layer *layers, int first, int total)
{
	int n = get_global_id(1);
	global const layer *l = layers + first + n;
	EACH_TILE(l->in)
	global const float *from = memory + l->x + row * l->cells * l->in + channel;
	float x[SQUARE], y[SQUARE];
	UNROLL
	for (int i = 0; i < SQUARE; i++) {
		int r = top + i / POINTS - 1, c = left + i % POINTS - 1;
		x[i] = r >= 0 && r < height && c >= 0 && c < width ? from[(r * width + c) * l->in] : 0;
	}
	TRANSFORM(lineInput, y, x, POINTS, POINTS)
	UNROLL
	for (int i = 0; i < SQUARE; i++)
		points[(n * SQUARE + i) * total + id] = y[i];
}

// spread transforms the gradients with respect to the outputs of layers to points.
kernel void spread(global const float *memory, global float *points, global const layer *layers, int first, int total)
{
	int n = get_global_id(1);
	global const layer *l = layers + first + n;
	EACH_TILE(l->out)
	global const float *from = memory + l->grad + row * l->cells * l->out + channel;
	float x[SIZE * SIZE], y[SQUARE];
	UNROLL
	for (int i = 0; i < SIZE * SIZE; i++) {
		int r = top + i / SIZE, c = left + i % SIZE;
		x[i] = r < height && c < width ? from[(r * width + c) * l->out] : 0;
	}
	TRANSFORM(lineSpread, y, x, POINTS, SIZE)
	UNROLL
	for (int i = 0; i < SQUARE; i++)
		points[(n * SQUARE + i) * total + id] = y[i];
}

// toCells transforms sums of products to the outputs of a layer.
kernel void toCells(global float *memory, global const float *sums, global const float *bias, global const layer *layers, int index, int total)
{
	layer own = layers[index], *l = &own;
	EACH_TILE(l->out)
	float x[SQUARE], y[SIZE * SIZE];
	UNROLL
	for (int i = 0; i < SQUARE; i++)
		x[i] = sums[i * total + id];
	TRANSFORM(lineOutput, y, x, SIZE, POINTS)
	UNROLL
	for (int i = 0; i < SIZE * SIZE; i++) {
		int r = top + i / SIZE, c = left + i % SIZE;
		if (r < height && c < width) {
			int cell = (row * height + r) * width + c;
			memory[l->y + cell * l->out + channel] = finish(memory, bias, l, cell, channel, y[i]);
		}
	}
}

// filters transforms filters [filter, tap, in, out] to points [filter, point, in, out], and the
// reversed filters of the backward pass to points [filter, point, out, in].
kernel void filters(global const float *value, global float *points, global float *reversed, int at, int in, int out, int total)
{
	int id = get_global_id(0), size = in * out;
	if (id >= total)
		return;
	int first = at / 9 + id / size * size, pair = id % size;
	global const float *w = value + first * 9 + pair;
	float x[9], y[SQUARE];
	UNROLL
	for (int i = 0; i < 9; i++)
		x[i] = w[i * size];
	TRANSFORM(lineFilter, y, x, POINTS, 3)
	UNROLL
	for (int i = 0; i < SQUARE; i++)
		points[first * SQUARE + i * size + pair] = y[i];
	UNROLL
	for (int i = 0; i < 9; i++)
		x[i] = w[(8 - i) * size];
	TRANSFORM(lineFilter, y, x, POINTS, 3)
	UNROLL
	for (int i = 0; i < SQUARE; i++)
		reversed[first * SQUARE + i * size + pair % out * in + pair / out] = y[i];
}

// filterGradients transforms gradients with respect to points to gradients with respect to filters.
kernel void filterGradients(global const float *points, global float *grad, int at, int in, int out, int total)
{
	int id = get_global_id(0), size = in * out;
	if (id >= total)
		return;
	int first = at / 9 + id / size * size, pair = id % size;
	float x[SQUARE], y[9];
	UNROLL
	for (int i = 0; i < SQUARE; i++)
		x[i] = points[first * SQUARE + i * size + pair];
	TRANSFORM(lineGather, y, x, 3, POINTS)
	UNROLL
	for (int i = 0; i < 9; i++)
		grad[first * 9 + i * size + pair] = y[i];
}

#ifndef TILED

// product computes the products of cells and weights for a layer: 16 channels of 4 cells. The third
// dimension counts the points of a convolution.
kernel void product(global const float *x, global const float *weights, global const float *bias, global float *y,
	global const layer *layers, int index, int rows)
{
	layer own = layers[index], *l = &own;
	int o = get_global_id(0) * 16, first = get_global_id(1) * 4, point = get_global_id(2), cells = rows * l->cells;
	global const float *w = weights + l->weight + point * l->in * l->out + o, *from[4];
	float16 sum[4];
	for (int c = 0; c < 4; c++) {
		from[c] = x + l->x + (point * cells + min(first + c, cells - 1)) * l->in;
		sum[c] = 0;
	}
	for (int i = 0; i < l->in; i++, w += l->out) {
		float16 v = vload16(0, w);
		for (int c = 0; c < 4; c++)
			sum[c] = fma((float16)(from[c][i]), v, sum[c]);
	}
	for (int c = 0; c < 4 && first + c < cells; c++) {
		global float *to = y + l->y + (point * cells + first + c) * l->out + o;
		vstore4(finish4(y, bias, l, first + c, o, sum[c].s0123), 0, to);
		vstore4(finish4(y, bias, l, first + c, o + 4, sum[c].s4567), 1, to);
		vstore4(finish4(y, bias, l, first + c, o + 8, sum[c].s89ab), 2, to);
		vstore4(finish4(y, bias, l, first + c, o + 12, sum[c].scdef), 3, to);
	}
}

// gradient computes the part of a tile of weights' gradient that comes from a slice of the rows.
// Tiles are {layer, first input, first output, whether to compute the gradient of the bias}. Their
// results are parts [slices, parameters], without the parameters before the first one.
kernel void gradient(global const float *x, global const float *d, global float *parts, global const layer *layers, global const int4 *tiles,
	int firstTile, int rows, int slices, int first, int parameters)
{
	int4 tile = tiles[firstTile + get_global_id(0)];
	global const layer *l = layers + tile.x;
	int slice = get_global_id(1), begin = slice * rows / slices * l->cells, end = (slice + 1) * rows / slices * l->cells;
	int in = l->in, out = l->out;
	x += l->x + tile.y;
	d += l->grad + tile.z;
	parts += slice * parameters + tile.z - first;
	for (int i = 0; i < 16 && tile.y < in; i += 4) {
		float16 sum[4];
		for (int c = 0; c < 4; c++)
			sum[c] = 0;
		for (int p = begin; p < end; p++) {
			float16 v = vload16(0, d + p * out);
			for (int c = 0; c < 4; c++)
				sum[c] = fma((float16)(x[p * in + i + c]), v, sum[c]);
		}
		for (int c = 0; c < 4; c++)
			vstore16(sum[c], 0, parts + l->weight + (tile.y + i + c) * out);
	}
	if (tile.w) {
		float16 sum = 0;
		for (int p = begin; p < end; p++)
			sum += vload16(0, d + p * out);
		vstore16(sum, 0, parts + l->bias);
	}
}

#else

#define BLOCK 64
#define STRIDE (BLOCK + 4) // of local memory; the padding spreads columns over its banks

#define ALIGNED __attribute__((aligned(16)))
#define AT(p) (*(global float4 *)(p))
#define LOCAL(p) (*(local float4 *)(p))

// PRODUCTS adds the products of DEPTH columns of a and rows of b to a work-item's 4 by 4 sums.
#define PRODUCTS(a, b) \
	UNROLL \
	for (int k = 0; k < DEPTH; k++) { \
		float4 u = LOCAL(a[k] + ty * 4), v = LOCAL(b[k] + tx * 4); \
		sum[0] = fma((float4)(u.s0), v, sum[0]); \
		sum[1] = fma((float4)(u.s1), v, sum[1]); \
		sum[2] = fma((float4)(u.s2), v, sum[2]); \
		sum[3] = fma((float4)(u.s3), v, sum[3]); \
	}

// product computes the products of cells and weights for a layer: 64 channels of 64 cells. The
// third dimension counts the points of a convolution.
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void product(global const float *x, global const float *weights, global const float *bias, global float *y,
	global const layer *layers, int index, int rows)
{
	local float a[2][DEPTH][STRIDE] ALIGNED, b[2][DEPTH][STRIDE] ALIGNED;
	layer own = layers[index], *l = &own;
	int tx = get_local_id(0), ty = get_local_id(1), t = ty * 16 + tx;
	int first = get_group_id(1) * BLOCK, point = get_group_id(2), cells = rows * l->cells;
	int in = l->in, out = l->out;
	// The work-item fetches 4 channels of a cell, and 4 weights of a channel.
	int line = t / 4, channel = t % 4 * 4, column = get_group_id(0) * BLOCK + tx * 4;
	bool onBatch = first + line < cells, inLayer = column < out;
	x += l->x + (point * cells + first + line) * in + channel;
	weights += l->weight + (point * in + ty) * out + column;
	y += point * cells * out;
	float4 sum[4] = {0, 0, 0, 0}, u, w;
#define FETCH(k) \
	if ((k) < in) { \
		u = onBatch ? FOUR(x + (k)) : (float4)(0); \
		w = inLayer ? FOUR(weights + (k) * out) : (float4)(0); \
	}
	FETCH(0)
	for (int k = 0, h = 0; k < in; k += DEPTH, h ^= 1) { // the other half is still being read
		a[h][channel][line] = u.s0;
		a[h][channel + 1][line] = u.s1;
		a[h][channel + 2][line] = u.s2;
		a[h][channel + 3][line] = u.s3;
		LOCAL(b[h][ty] + tx * 4) = w;
		barrier(CLK_LOCAL_MEM_FENCE);
		FETCH(k + DEPTH)
		PRODUCTS(a[h], b[h])
	}
#undef FETCH
	UNROLL
	for (int c = 0; c < 4; c++) {
		int cell = first + ty * 4 + c;
		if (cell < cells && inLayer)
			AT(y + l->y + cell * out + column) = finish4(y, bias, l, cell, column, sum[c]);
	}
}

// gradient computes the part of a tile of weights' gradient that comes from a slice of the rows.
// Tiles are {layer, first input, first output, whether to compute the gradient of the bias}. Their
// results are parts [slices, parameters], without the parameters before the first one.
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void gradient(global const float *x, global const float *d, global float *parts, global const layer *layers, global const int4 *tiles,
	int firstTile, int rows, int slices, int first, int parameters)
{
	local float a[2][DEPTH][STRIDE] ALIGNED, b[2][DEPTH][STRIDE] ALIGNED;
	int4 tile = tiles[firstTile + get_group_id(0)];
	global const layer *l = layers + tile.x;
	int slice = get_group_id(1), begin = slice * rows / slices * l->cells, end = (slice + 1) * rows / slices * l->cells;
	int tx = get_local_id(0), ty = get_local_id(1), in = l->in, out = l->out;
	// The work-item fetches 4 inputs and 4 gradients of a cell.
	int input = tile.y + tx * 4, column = tile.z + tx * 4;
	bool inInputs = input < in, inLayer = column < out, sumsBias = tile.w && ty == 0;
	x += l->x + input;
	d += l->grad + column;
	float4 sum[4] = {0, 0, 0, 0}, bias = 0, u, w;
#define FETCH(p) \
	{ \
		u = (p) < end && inInputs ? FOUR(x + (p) * in) : (float4)(0); \
		w = (p) < end && inLayer ? FOUR(d + (p) * out) : (float4)(0); \
	}
	FETCH(begin + ty)
	for (int p = begin, h = 0; p < end; p += DEPTH, h ^= 1) { // the other half is still being read
		LOCAL(a[h][ty] + tx * 4) = u;
		LOCAL(b[h][ty] + tx * 4) = w;
		barrier(CLK_LOCAL_MEM_FENCE);
		FETCH(p + DEPTH + ty)
		PRODUCTS(a[h], b[h])
		if (sumsBias)
			UNROLL
			for (int k = 0; k < DEPTH; k++)
				bias += LOCAL(b[h][k] + tx * 4);
	}
#undef FETCH
	parts += slice * parameters + column - first;
	UNROLL
	for (int c = 0; c < 4; c++) {
		int i = tile.y + ty * 4 + c;
		if (i < in && inLayer)
			AT(parts + l->weight + i * out) = sum[c];
	}
	if (sumsBias && inLayer)
		AT(parts + l->bias) = bias;
}

#endif

// total returns the sum of the work-group's numbers.
INLINE float total(local float *scratch, float x)
{
#if LANES > 1
	int lane = get_local_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	scratch[lane] = x;
	for (int n = LANES / 2; n > 0; n /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < n)
			scratch[lane] += scratch[lane + n];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	x = scratch[0];
#endif
	return x;
}

// highest returns the largest of the work-group's numbers.
INLINE float highest(local float *scratch, float x)
{
#if LANES > 1
	int lane = get_local_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	scratch[lane] = x;
	for (int n = LANES / 2; n > 0; n /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < n)
			scratch[lane] = fmax(scratch[lane], scratch[lane + n]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	x = scratch[0];
#endif
	return x;
}

#define EACH(i, count) for (int i = get_local_id(0); i < (count); i += LANES)

// unpack copies a row of observations [rows, planes, cells] to memory [rows, cells, width].
kernel void unpack(global float *memory, int at, int width, int cells, int planes, global const float *x)
{
	int row = get_group_id(0);
	x += row * planes * cells;
	memory += at + row * cells * width;
	EACH(i, planes * cells)
		memory[i % cells * width + i / cells] = x[i];
}

// pool sums a row over its cells, [rows, cells, in] to [rows, in], and runs a fully connected
// layer on scale times the sums. It multiplies the layer's output by another scale.
kernel void pool(global float *memory, global const float *weights, global const float *bias,
	global const layer *layers, int index, int from, int cells, float scale, float outScale)
{
	global const layer *l = layers + index;
	int row = get_group_id(0), in = l->in, out = l->out;
	global const float *cell = memory + from + row * cells * in, *w = weights + l->weight;
	global float *mean = memory + l->x + row * in;
	EACH(i, in) {
		float sum = 0;
		for (int c = 0; c < cells; c++)
			sum += cell[c * in + i];
		mean[i] = sum * scale;
	}
	barrier(CLK_GLOBAL_MEM_FENCE);
	EACH(o, out) {
		float sum = 0;
		for (int i = 0; i < in; i++)
			sum += mean[i] * w[i * out + o];
		memory[l->y + row * out + o] = sum * outScale + (l->bias == NONE ? 0 : bias[l->bias + o]);
	}
}

// heads locates the outputs of the network and the targets of the batch. A row of planes is
// [cells, width]: first the policy's planes, then the ownership's and the scores'.
typedef struct {
	int planes, planesGrad, cells, width; // in memory
	int outcome, outcomeGrad, outcomeWidth;
	int policyPlanes, outcomes, ownership, seats;
	int policyTarget, outcomeTarget, scoreTarget, weight; // in the batch
} heads;

// crossEntropy computes the loss of a row's logits, whose class i is at i % cells * width + i /
// cells, the entropy of its target, and the loss's gradient, multiplied by factor. A negative target
// excludes a class. Rows of weight 0 have no loss.
INLINE float2 crossEntropy(local float *scratch, global const float *logits, global float *grad, global const float *target,
	int count, int cells, int width, float weight, float factor)
{
	float top = -INFINITY;
	EACH(i, count)
		if (target[i] >= 0)
			top = fmax(top, logits[i % cells * width + i / cells]);
	top = highest(scratch, top);
	float loss = 0, entropy = 0, sum = 0, mass = 0;
	EACH(i, count)
		if (target[i] >= 0) {
			float x = logits[i % cells * width + i / cells] - top, t = target[i];
			sum += exp(x);
			mass += t;
			if (t > 0) {
				loss -= t * x;
				entropy -= t * log(t);
			}
		}
	sum = total(scratch, sum);
	mass = total(scratch, mass);
	loss = total(scratch, loss);
	entropy = total(scratch, entropy);
	EACH(i, count) {
		int at = i % cells * width + i / cells;
		grad[at] = target[i] >= 0 && weight > 0 ? (exp(logits[at] - top) * (mass / sum) - target[i]) * (weight * factor) : 0;
	}
	return weight > 0 && mass > 0 ? (float2)(loss + mass * log(sum), entropy) : (float2)(0);
}

// ownershipLoss computes the mean cross-entropy of the cells' owners, and its gradient.
INLINE float ownershipLoss(local float *scratch, global const float *logits, global float *grad, global const char *target,
	int classes, int cells, int width, float weight, float factor)
{
	float owned = 0, loss = 0;
	EACH(cell, cells)
		owned += target[cell] >= 0;
	owned = total(scratch, owned);
	EACH(cell, cells) {
		global const float *x = logits + cell * width;
		global float *g = grad + cell * width;
		bool learns = weight > 0 && target[cell] >= 0;
		float top = -INFINITY, sum = 0;
		for (int k = 0; k < classes; k++)
			top = fmax(top, x[k]);
		for (int k = 0; k < classes; k++)
			sum += exp(x[k] - top);
		for (int k = 0; k < classes; k++)
			g[k] = learns ? (exp(x[k] - top) / sum - (k == target[cell])) * (weight * factor / owned) : 0;
		if (learns)
			loss += (log(sum) - (x[target[cell]] - top)) / owned;
	}
	return total(scratch, loss);
}

// scoreLoss computes the mean Huber loss of the seats' scores, and its gradient. A seat's score is
// the mean of its plane.
INLINE float scoreLoss(local float *scratch, global const float *logits, global float *grad, global const float *target,
	int seats, int cells, int width, float weight, float factor)
{
	float loss = 0;
	bool learns = weight > 0 && !isnan(target[0]);
	for (int seat = 0; seat < seats; seat++) {
		float sum = 0;
		EACH(cell, cells)
			sum += logits[cell * width + seat];
		float d = total(scratch, sum) / cells - target[seat], slope = fmax(-1.0f, fmin(1.0f, d));
		if (learns)
			loss += (slope * d - slope * slope / 2) / seats;
		EACH(cell, cells)
			grad[cell * width + seat] = learns ? slope * weight * factor / (seats * cells) : 0;
	}
	return loss;
}

// losses computes a row's losses [rows, 5] and their gradients. The weight of a row is multiplied
// by share. A loss that is not finite makes the gradient such.
kernel void losses(global float *memory, global const heads *h, global float *losses,
	float outcomeWeight, float ownershipWeight, float scoreWeight,
	global const float *batch, global const char *owners, float share)
{
	local float scratch[LANES];
	int row = get_group_id(0), actions = h->policyPlanes * h->cells, at = row * h->cells * h->width;
	global const float *planes = memory + h->planes + at, *outcome = memory + h->outcome + row * h->outcomeWidth;
	global float *planesGrad = memory + h->planesGrad + at, *outcomeGrad = memory + h->outcomeGrad + row * h->outcomeWidth;
	float weight = batch[h->weight + row] * share;
	float2 p = crossEntropy(scratch, planes, planesGrad, batch + h->policyTarget + row * actions, actions, h->cells, h->width, weight, 1);
	float2 o = crossEntropy(scratch, outcome, outcomeGrad, batch + h->outcomeTarget + row * h->outcomes, h->outcomes, 1, 0, weight, outcomeWeight);
	float ownership = 0, score = 0;
	if (h->ownership > 0) {
		int first = h->policyPlanes, scores = first + h->ownership;
		ownership = ownershipLoss(scratch, planes + first, planesGrad + first, owners + row * h->cells,
			h->ownership, h->cells, h->width, weight, ownershipWeight);
		score = scoreLoss(scratch, planes + scores, planesGrad + scores, batch + h->scoreTarget + row * h->seats,
			h->seats, h->cells, h->width, weight, scoreWeight);
	}
	if (get_local_id(0) == 0) {
		global float *l = losses + row * 5;
		l[0] = p.x;
		l[1] = p.y;
		l[2] = o.x;
		l[3] = ownership;
		l[4] = score;
		if (!isfinite(p.x + o.x + ownership + score))
			outcomeGrad[0] = NAN;
	}
}

// The kernels below divide the parameters among the work-groups.
#define PART(i, count) \
	for (int size = ((count) + get_num_groups(0) - 1) / get_num_groups(0), i = get_group_id(0) * size + get_local_id(0), \
		end = min((int)(get_group_id(0) + 1) * size, (count)); i < end; i += LANES)

// sum completes the gradient, whose parameters from the first one are sums of parts [slices,
// parameters - first], and computes the sum of its squares, a number for each work-group.
kernel void sum(global const float *parts, global float *grad, global float *squares, int slices, int first, int parameters)
{
	local float scratch[LANES];
	float square = 0;
	PART(i, parameters) {
		float g = i < first ? grad[i] : 0;
		for (int s = 0; s < slices && i >= first; s++)
			g += parts[s * (parameters - first) + i - first];
		grad[i] = g;
		square += g * g;
	}
	square = total(scratch, square);
	if (get_local_id(0) == 0)
		squares[get_group_id(0)] = square;
}

// adam moves the parameters, unless the gradient's norm, which it computes, is not finite. The
// first decaying parameters are shrunk by keep.
kernel void adam(global float *value, global float *mean, global float *square, global const float *grad,
	global const float *squares, global float *norm, int normAt, int parameters, int decaying,
	float beta1, float beta2, float epsilon, float limit, float rate, float keep, float inverse)
{
	local float scratch[LANES];
	float size = 0;
	EACH(i, (int)get_num_groups(0))
		size += squares[i];
	size = sqrt(total(scratch, size));
	if (get_global_id(0) == 0)
		norm[normAt] = size;
	if (!isfinite(size))
		return;
	float scale = limit > 0 && size > limit ? limit / size : 1;
	PART(i, parameters) {
		float g = grad[i] * scale;
		float m = beta1 * mean[i] + (1 - beta1) * g, v = beta2 * square[i] + (1 - beta2) * g * g;
		mean[i] = m;
		square[i] = v;
		value[i] = (i < decaying ? keep : 1) * value[i] - rate * m / (sqrt(v * inverse) + epsilon);
	}
}

// average moves a moving average towards the parameters.
kernel void average(global float *mean, global const float *value, int parameters, float weight)
{
	PART(i, parameters)
		mean[i] += weight * (value[i] - mean[i]);
}

// gather permutes the weights for the backward pass.
kernel void gather(global float *to, global const float *from, global const int *order, int count)
{
	PART(i, count)
		to[i] = from[order[i]];
}
