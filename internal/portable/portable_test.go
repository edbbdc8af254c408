package portable

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

const precision = 200 // bits of the reference values

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// series sums term(0), term(1), ... until the terms are negligible.
func series(term func(n int) *big.Float) *big.Float {
	sum := number(0)
	for n := 0; ; n++ {
		x := term(n)
		if x.Sign() == 0 || n > 0 && sum.MantExp(nil)-x.MantExp(nil) > precision {
			return sum
		}
		sum.Add(sum, x)
	}
}

// bigExp computes e^(x/2⁴⁰) as Σ xⁿ/n!, which takes few terms, and raises it to the power
// of 2⁴⁰.
func bigExp(x *big.Float) *big.Float {
	const halvings = 40
	small, power := new(big.Float).SetPrec(2*precision).SetMantExp(x, -halvings), number(1).SetPrec(2*precision)
	sum := series(func(n int) *big.Float {
		if n > 0 {
			power.Mul(power, small)
			power.Quo(power, number(float64(n)))
		}
		return new(big.Float).Copy(power)
	}).SetPrec(2 * precision)
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog computes 2·artanh((x-1)/(x+1)) of the mantissa and adds log 2 times the exponent.
func bigLog(x float64) *big.Float {
	artanh := func(num, den *big.Float) *big.Float {
		s := new(big.Float).Quo(num, den)
		square, power := new(big.Float).Mul(s, s), s
		return series(func(n int) *big.Float {
			term := new(big.Float).Quo(power, number(float64(2*n+1)))
			power = new(big.Float).Mul(power, square)
			return term
		})
	}
	f, exponent := math.Frexp(x)
	log := artanh(new(big.Float).Sub(number(f), number(1)), new(big.Float).Add(number(f), number(1)))
	ln2 := artanh(number(1), number(3))
	log.Add(log, ln2.Mul(ln2, number(float64(exponent))))
	return log.Mul(log, number(2))
}

// errorOf returns the distance of got from want in units in the last place of want.
func errorOf(got float64, want *big.Float) float64 {
	near, _ := want.Float64()
	unit := math.Nextafter(math.Abs(near), math.Inf(1)) - math.Abs(near)
	difference, _ := new(big.Float).Sub(number(got), want).Float64()
	return math.Abs(difference) / unit
}

func TestAgainstBigNumbers(t *testing.T) {
	bigExp := func(x float64) *big.Float { return bigExp(number(x)) }
	tests := []struct {
		name  string
		got   func(float64) float64
		want  func(float64) *big.Float
		draw  func(*rand.Rand) float64
		bound float64
	}{
		{"Exp", Exp, bigExp, func(r *rand.Rand) float64 { return 80*r.Float64() - 75 }, 0.6},
		{"Exp of all", Exp, bigExp, func(r *rand.Rand) float64 { return 1416*r.Float64() - 707 }, 0.6},
		{"Exp near 0", Exp, bigExp, func(r *rand.Rand) float64 { return math.Ldexp(2*r.Float64()-1, -r.IntN(60)) }, 0.6},
		{"Exp below normal", Exp, bigExp, func(r *rand.Rand) float64 { return -708 - 36*r.Float64() }, 1.001},
		{"Log of a probability", Log, bigLog, func(r *rand.Rand) float64 { return r.Float64() }, 1},
		{"Log near 1", Log, bigLog, func(r *rand.Rand) float64 { return 1 + math.Ldexp(2*r.Float64()-1, -1-r.IntN(50)) }, 1},
		{"Log of all", Log, bigLog, func(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64N(0x7ff << 52)) }, 1},
		{"Log of subnormals", Log, bigLog, func(r *rand.Rand) float64 { return math.Float64frombits(1 + r.Uint64N(1<<52)) }, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rng, worst := rand.New(rand.NewPCG(1, 2)), 0.0
			for range 1000 {
				x := test.draw(rng)
				e := errorOf(test.got(x), test.want(x))
				require.Less(t, e, test.bound, "of %v", x)
				worst = max(worst, e)
			}
			t.Logf("largest error %.3f units in the last place", worst)
		})
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, inf, -inf, nan, 700, 709.79, -745.2, -746, math.MaxFloat64, -math.MaxFloat64} {
		require.InDelta(t, 0, compare(Exp(x), math.Exp(x)), 1e-15, "exp %v", x)
		require.InDelta(t, 0, compare(Log(x), math.Log(x)), 1e-15, "log %v", x)
	}
	require.Less(t, Exp(709.78), inf) // for which math.Exp overflows on amd64
	require.Equal(t, 1.0, Exp(0))
	require.Equal(t, 0.0, Log(1))
}

// compare returns 0 for identical numbers, including infinities, and otherwise the relative
// difference.
func compare(a, b float64) float64 {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return 0
	}
	return (a - b) / b
}

func TestTanh(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		x := 40*rng.Float64() - 20
		require.InDelta(t, math.Tanh(x), Tanh(x), 0x1p-52+0x1p-53, "of %v", x) // with the error of math.Tanh
		require.Equal(t, -Tanh(x), Tanh(-x))
	}
	require.Equal(t, 0.0, Tanh(0))
	require.Equal(t, -1.0, Tanh(math.Inf(-1)))
}

func TestPow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		x, y := rng.Float64(), 20*rng.Float64()-10
		want := bigLog(x)
		want = bigExp(want.Mul(want, number(y)))
		require.Less(t, errorOf(Pow(x, y), want), 2+2*math.Abs(y*math.Log(x)), "%v to the power of %v", x, y)
	}
	for _, x := range []float64{0, 1, 2} {
		require.Equal(t, 1.0, Pow(x, 0))
		require.InDelta(t, x, Pow(x, 1), 1e-15)
	}
	require.Equal(t, 0.0, Pow(0, 0.5))
}

// TestDistributions compares sample moments with the moments of the distributions. The mean
// of n draws differs by more than 5 deviations/√n for one seed in two million.
func TestDistributions(t *testing.T) {
	const n, euler = 1 << 18, 0.5772156649015329
	for _, test := range []struct {
		name           string
		draw           func(*rand.Rand) float64
		mean, variance float64
		fourth         float64 // central moment
	}{
		{"Normal", Normal, 0, 1, 3},
		{"Exponential", Exponential, 1, 1, 9},
		{"Gumbel", Gumbel, euler, math.Pi * math.Pi / 6, 27. / 5 * math.Pow(math.Pi, 4) / 36},
	} {
		t.Run(test.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			sum, squares := 0.0, 0.0
			for range n {
				d := test.draw(rng) - test.mean
				require.False(t, math.IsInf(d, 0) || math.IsNaN(d))
				sum += d
				squares += d * d
			}
			require.InDelta(t, 0, sum/n, 5*math.Sqrt(test.variance/n))
			require.InDelta(t, test.variance, squares/n, 5*math.Sqrt((test.fourth-test.variance*test.variance)/n))
		})
	}
}

// extreme is a source that always returns the same number.
type extreme uint64

func (e extreme) Uint64() uint64 { return uint64(e) }

// TestUniformIsOpen: draws exclude 0 and 1, whose logarithms would produce infinite noise.
func TestUniformIsOpen(t *testing.T) {
	for _, e := range []extreme{0, math.MaxUint64} {
		rng := rand.New(e)
		require.Greater(t, uniform(rng), 0.0)
		require.Less(t, uniform(rng), 1.0)
		require.False(t, math.IsInf(Gumbel(rng), 0))
	}
}

// TestRecorded pins bits that all builds must reproduce.
func TestRecorded(t *testing.T) {
	rng, digest := rand.New(rand.NewPCG(1, 2)), uint64(0)
	for range 1000 {
		for _, x := range []float64{Exp(20*rng.Float64() - 15), Log(rng.Float64()), Pow(rng.Float64(), 0.75), Normal(rng), Gumbel(rng)} {
			digest = digest*0x9e3779b97f4a7c15 ^ math.Float64bits(x)
		}
	}
	require.Equal(t, uint64(0xa81f18590b60a8d2), digest)
}

func BenchmarkFunctions(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var below, above [1024]float64
	for i := range below {
		below[i], above[i] = -20*rng.Float64(), rng.Float64()
	}
	sink := 0.0
	for _, f := range []struct {
		name string
		f    func(float64) float64
		x    *[1024]float64
	}{{"Exp", Exp, &below}, {"math.Exp", math.Exp, &below}, {"Log", Log, &above}, {"math.Log", math.Log, &above}} {
		b.Run(f.name, func(b *testing.B) {
			for i := range b.N {
				sink += f.f(f.x[i%len(f.x)])
			}
		})
	}
	_ = sink
}
