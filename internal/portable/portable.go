package portable

import "math"

const (
	// steps is the number of tabulated powers 2^(i/steps), 0 <= i < steps.
	steps    = 128
	stepBits = 7

	// stepHigh + stepLow is ln 2 / steps. The low bits of stepHigh are 0, which makes its
	// products with the integers used here exact.
	stepHigh = 0x1.62e42fefa0000p-8
	stepLow  = 0x1.cf79abc9e3b3ap-47

	// rounder is so large that x + rounder is rounded to an integer.
	rounder = 0x1.8p52
)

// power is a power of 2 as the sum of its rounded value high and the remainder low.
type power struct{ high, low float64 }

// Exp returns e to the power of x. The error is below 0.6 units in the last place, or about
// 1 unit for subnormal results.
//
// With x = k·ln2/steps + r, the result is 2^(k/steps) · e^r. The first factor comes from a
// table, the second from its Taylor polynomial, since |r| <= ln2/256 (Tang 1989,
// "Table-driven implementation of the exponential function in IEEE floating-point
// arithmetic").
func Exp(x float64) float64 {
	switch {
	case x > 709.8:
		return math.Inf(1)
	case x < -745.2:
		return 0
	case x != x:
		return x
	}
	shifted := float64(x*(steps/math.Ln2)) + rounder
	k := int(int32(math.Float64bits(shifted)))
	whole := shifted - rounder
	r := x - float64(whole*stepHigh) - float64(whole*stepLow)
	rr := float64(r * r)
	p := r + float64(rr*(0.5+float64(r*(1./6)))) + float64(float64(rr*rr)*(1./24+float64(r*(1./120))))
	factor := &powers[uint(k)%steps]
	y := factor.high + (factor.low + float64(factor.high*p))
	exponent := k >> stepBits
	if exponent < -1022 || exponent > 1023 {
		return math.Ldexp(y, exponent)
	}
	return y * math.Float64frombits(uint64(exponent+1023)<<52)
}

// ln2High + ln2Low is ln 2. The low bits of ln2High are 0, which makes its products with
// exponents exact.
const (
	ln2High = 0x1.62e42fee00000p-1
	ln2Low  = 0x1.a39ef35793c76p-33
)

// Log returns the natural logarithm of x with an error below 1 unit in the last place. It
// is -Inf for 0 and NaN for negative numbers.
//
// With x = 2^k·(1+f) and √½ <= 1+f < √2, the result is k·ln2 + log(1+f). The second term is
// computed from a polynomial in s = f/(2+f), since log(1+f) = 2s + 2s³/3 + 2s⁵/5 + ...
// (coefficients from FDLIBM 5.3, e_log.c).
func Log(x float64) float64 {
	bits, k := math.Float64bits(x), 0
	switch {
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	case !(x > 0):
		return math.NaN()
	case x < 0x1p-1022: // subnormal
		bits, k = math.Float64bits(x*0x1p52), -52
	}
	const half = 0x3fe6a09e667f3bcd // the bits of √½
	up := int64(bits-half) >> 52
	k += int(up)
	f := math.Float64frombits(bits-uint64(up)<<52) - 1
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := float64(s2 * (6.666666666666735130e-01 + float64(s4*(2.857142874366239149e-01+
		float64(s4*(1.818357216161805012e-01+float64(s4*1.479819860511658591e-01)))))))
	even := float64(s4 * (3.999999999940941908e-01 + float64(s4*(2.222219843214978396e-01+
		float64(s4*1.531383769920937332e-01)))))
	square := float64(float64(0.5*f) * f)
	high, low := float64(float64(k)*ln2High), float64(float64(k)*ln2Low)
	return high - (square - (float64(s*(square+odd+even)) + low) - f)
}

// Tanh returns the hyperbolic tangent of x with an absolute error below 2⁻⁵².
func Tanh(x float64) float64 {
	return math.Copysign(1-2/(Exp(2*math.Abs(x))+1), x)
}

// Pow returns x to the power of y for x >= 0. Its relative error is below (2 + 2·|y·log
// x|)·2⁻⁵², which is sufficient for probabilities and rates. Roots and integer powers are
// not exact.
func Pow(x, y float64) float64 {
	if y == 0 {
		return 1
	}
	return Exp(float64(y * Log(x)))
}
