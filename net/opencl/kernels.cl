// Activations are [row, cell, channel] and points [point, tile, channel], where the tiles of a
// row are adjacent; the number of channels is a multiple of 16. Arrays have memory for whole
// blocks of rows, and the contents of surplus rows do not matter. All sums have a fixed order,
// which does not depend on the number of rows.
#pragma OPENCL FP_CONTRACT OFF

// Flags of multiply and of the output transforms.
#define RELU 1
#define BIAS 2
#define ROW_BIAS 4
#define RESIDUAL 8
#define KEEP 16
#define MEAN 32

// Functions are inlined, so that their arrays are registers.
#define INLINE static inline __attribute__((always_inline))

// Negative numbers become 0; NaN stays, so that broken weights are noticed.
INLINE float4 relu4(float4 v) { return select(v, (float4)(0), v < (float4)(0)); }
INLINE float relu(float v) { return v < 0 ? 0 : v; }

INLINE float activation(float v, global const float *residual, int flags)
{
	if (flags & RESIDUAL) v += *residual;
	return flags & RELU ? relu(v) : v;
}

// multiply computes c = a*b for each product z of a batch: a [rows, inner], b [inner, ldb] and
// c [rows, ldc], whose columns up to ldb are computed. Products are strideA, inner*ldb and
// strideC numbers apart.
#ifdef TILED

#define ROWS 128   // of a work group's block of c
#define COLUMNS 64
#define DEPTH 16   // of the parts of a and b in local memory

// All pointers are to vectors, which are aligned, so that four numbers are one access.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void multiply(global const float4 *a, global const float4 *b, global float4 *c, global const float4 *bias, int inner, int ldb, int ldc, ulong strideA, ulong strideC, int flags)
{
	local float4 partA[2][DEPTH][ROWS / 4 + 1], partB[2][DEPTH][COLUMNS / 4];
	const int item = get_local_id(0), x = item % 16, y = item / 16 * 2; // in vectors: 8 rows and 4 columns
	const int column = get_group_id(1) * COLUMNS / 4 + x;
	const size_t row = (size_t)get_group_id(0) * ROWS, z = get_group_id(2);
	const int lineA = item / 4, stepA = item % 4; // the numbers that this item copies to local memory
	inner /= 4, ldb /= 4, ldc /= 4;
	a += z * strideA / 4 + (row + lineA) * inner + stepA;
	b += (z * inner * 4 + y / 2) * ldb + column;
	c += z * strideC / 4 + (row + y * 4) * ldc + column;

	float4 sum[8];
	#pragma unroll
	for (int i = 0; i < 8; i++) sum[i] = 0;
	float4 a0 = a[0], a1 = a[(size_t)(ROWS / 2) * inner], b0 = b[0];
	for (int k = 0, part = 0; k < inner; k += DEPTH / 4, part ^= 1) {
		local float *toA = (local float *)partA[part][stepA * 4] + lineA;
		const int line = ROWS + 4; // numbers of a line of partA
		toA[0] = a0.x; toA[line] = a0.y; toA[2 * line] = a0.z; toA[3 * line] = a0.w;
		toA += ROWS / 2;
		toA[0] = a1.x; toA[line] = a1.y; toA[2 * line] = a1.z; toA[3 * line] = a1.w;
		partB[part][y / 2][x] = b0;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (k + DEPTH / 4 < inner) {
			a += DEPTH / 4;
			b += (size_t)DEPTH * ldb;
			a0 = a[0], a1 = a[(size_t)(ROWS / 2) * inner], b0 = b[0];
		}
		#pragma unroll
		for (int d = 0; d < DEPTH; d++) {
			const float4 u = partA[part][d][y], v = partA[part][d][y + 1], w = partB[part][d][x];
			sum[0] = fma((float4)(u.x), w, sum[0]);
			sum[1] = fma((float4)(u.y), w, sum[1]);
			sum[2] = fma((float4)(u.z), w, sum[2]);
			sum[3] = fma((float4)(u.w), w, sum[3]);
			sum[4] = fma((float4)(v.x), w, sum[4]);
			sum[5] = fma((float4)(v.y), w, sum[5]);
			sum[6] = fma((float4)(v.z), w, sum[6]);
			sum[7] = fma((float4)(v.w), w, sum[7]);
		}
	}
	if (column >= ldc) return;
	const float4 offset = flags & BIAS ? bias[column] : (float4)(0);
	#pragma unroll
	for (int i = 0; i < 8; i++) {
		const float4 v = sum[i] + offset;
		c[(size_t)i * ldc] = flags & RELU ? relu4(v) : v;
	}
}

#else // for CPUs, which gain nothing from local memory: a work item computes 4 rows and 16 columns

INLINE float8 relu8(float8 v) { return select(v, (float8)(0), v < (float8)(0)); }

kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void multiply(global const float *a, global const float *b, global float *c, global const float *bias, int inner, int ldb, int ldc, ulong strideA, ulong strideC, int flags)
{
	const int column = get_global_id(1) * 16;
	const size_t row = get_global_id(0) * 4, z = get_global_id(2);
	if (column >= ldc) return;
	a += z * strideA + row * inner;
	b += z * inner * ldb + column;
	c += z * strideC + row * ldc + column;
	float8 sum[8];
	#pragma unroll
	for (int i = 0; i < 8; i++) sum[i] = 0;
	for (int k = 0; k < inner; k++, a++, b += ldb) {
		const float8 v = vload8(0, b), w = vload8(1, b);
		#pragma unroll
		for (int i = 0; i < 4; i++) {
			const float8 u = a[i * inner];
			sum[2 * i] = fma(u, v, sum[2 * i]);
			sum[2 * i + 1] = fma(u, w, sum[2 * i + 1]);
		}
	}
	#pragma unroll
	for (int i = 0; i < 8; i++) {
		const float8 v = sum[i] + (flags & BIAS ? vload8(i % 2, bias + column) : (float8)(0));
		vstore8(flags & RELU ? relu8(v) : v, i % 2, c + i / 2 * ldc);
	}
}

#endif

// planes expands bits [rows, words] of observations [planes, cells] to activations y. The number
// of a cell is its bit times scale [rows, planes].
kernel void planes(global const uint *bits, global const float *scale, global float *y, int cells, int planes, int channels, int words, int total)
{
	const int i = get_global_id(0);
	if (i >= total) return;
	const int c = i % channels, cell = i / channels % cells, row = i / channels / cells;
	const int bit = c * cells + cell;
	y[i] = c < planes && bits[row * words + bit / 32] >> bit % 32 & 1 ? scale[row * planes + c] : 0;
}

// numbers arranges observations x [rows, planes, cells] as activations y.
kernel void numbers(global const float *x, global float *y, int cells, int planes, int channels, int total)
{
	const int i = get_global_id(0);
	if (i >= total) return;
	const int c = i % channels, cell = i / channels % cells, row = i / channels / cells;
	y[i] = c < planes ? x[(row * planes + c) * cells + cell] : 0;
}

// means writes the means of x over the cells to y [rows, channels].
kernel void means(global const float *x, global float *y, int cells, int channels, int total)
{
	const int i = get_global_id(0);
	if (i >= total) return;
	x += (size_t)(i / channels) * cells * channels + i % channels;
	float sum = 0;
	for (int cell = 0; cell < cells; cell++) sum += x[cell * channels];
	y[i] = sum / cells;
}

// features writes count channels of x, from channel first, to y [rows, width] in the order
// [channel, cell], with a ReLU and zero padding.
kernel void features(global const float *x, global float *y, int cells, int channels, int first, int count, int width, int total)
{
	const int i = get_global_id(0);
	if (i >= total) return;
	const int feature = i % width, row = i / width;
	y[i] = feature < count * cells ? relu(x[((size_t)row * cells + feature % cells) * channels + first + feature / cells]) : 0;
}

// gather writes the numbers of x with the given indices to y.
kernel void gather(global const float *x, global const uint *index, global float *y, int total)
{
	const int i = get_global_id(0);
	if (i < total) y[i] = x[index[i]];
}
