package work

// Seed is the state from which every run draws its random numbers.
const Seed = 42

// Rand is the generator splitmix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014). Its value is its state.
type Rand uint64

// Next returns the next 64 random bits.
func (r *Rand) Next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Between returns a number in [lo, hi], both ends included.
func (r *Rand) Between(lo, hi uint64) int { return int(lo + r.Next()%(hi-lo+1)) }
