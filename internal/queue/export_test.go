package queue

// Waiting returns the number of clients that wait.
func (q *Queue[R]) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
