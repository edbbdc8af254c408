package portable

import (
	"math"
	"math/rand/v2"
)

// uniform draws from the uniform distribution on the open interval (0, 1).
func uniform(rng *rand.Rand) float64 {
	return float64((float64(rng.Uint64()>>12) + 0.5) * 0x1p-52)
}

// Normal draws from the standard normal distribution with the polar method (Marsaglia and
// Bray 1964, "A convenient method for generating normal variables").
func Normal(rng *rand.Rand) float64 {
	for {
		x, y := float64(2*uniform(rng))-1, float64(2*uniform(rng))-1
		if rr := float64(x*x) + float64(y*y); rr < 1 {
			return x * math.Sqrt(-2*Log(rr)/rr)
		}
	}
}

// Exponential draws from the exponential distribution with mean 1.
func Exponential(rng *rand.Rand) float64 { return -Log(uniform(rng)) }

// Gumbel draws from the standard Gumbel distribution.
func Gumbel(rng *rand.Rand) float64 { return -Log(Exponential(rng)) }
