package opencl

import (
	"cmp"

	"tiro/net/opencl/cl"
)

// commands gives commands to a queue. After the first error it gives none.
type commands struct {
	queue     *cl.Queue
	transfers []*cl.Event // that have begun
	err       error
}

// start starts a kernel.
func (c *commands) start(k *cl.Kernel, global, local []int, args ...any) {
	if c.err == nil {
		c.err = c.queue.Run(k, global, local, args...)
	}
}

// run starts a kernel with n work items, one for each number of its result.
func (c *commands) run(k *cl.Kernel, n int, args ...any) {
	c.start(k, []int{padded(n, group)}, []int{group}, args...)
}

// write begins to send src, which must not change before wait.
func (c *commands) write(dst *cl.Buffer, src []byte) {
	if c.err == nil {
		c.add(c.queue.WriteLater(dst, src))
	}
}

// read begins to receive dst, which is complete after wait.
func (c *commands) read(dst []byte, src *cl.Buffer) {
	if c.err == nil {
		c.add(c.queue.ReadLater(dst, src))
	}
}

func (c *commands) add(transfer *cl.Event, err error) {
	c.transfers, c.err = append(c.transfers, transfer), err
}

// wait waits for all transfers and returns the first error.
func (c *commands) wait() error {
	err := c.err
	for _, t := range c.transfers {
		err = cmp.Or(err, t.Wait())
	}
	c.transfers, c.err = c.transfers[:0], nil
	return err
}
