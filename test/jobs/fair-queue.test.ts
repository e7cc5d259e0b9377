import fc from 'fast-check'
import PQueue from 'p-queue'
import { expect, test } from 'vitest'
import { type FairOptions, FairQueue } from '../../src/jobs/fair-queue.ts'

test('higher priority goes first, principals take turns, and each keeps its order', async () => {
  const queue = new PQueue<FairQueue, FairOptions>({
    concurrency: 1,
    queueClass: FairQueue,
    autoStart: false,
  })
  const done: string[] = []
  const add = (principal: string, name: string, priority = 0) =>
    queue.add(
      async () => {
        done.push(name)
      },
      { principal, priority },
    )
  const all = [
    add('ann', 'a1'),
    add('ann', 'a2'),
    add('ann', 'a3'),
    add('bob', 'b1'),
    add('bob', 'b2'),
    add('ann', 'urgent', 5),
    add('cleo', 'c1'),
  ]
  queue.start()
  await Promise.all(all)
  expect(done).toEqual(['urgent', 'b1', 'c1', 'a1', 'b2', 'a2', 'a3'])
})

test('each task is dequeued once, by priority, and principals with waiting tasks take turns', () => {
  const entries = fc.array(
    fc.record({
      principal: fc.constantFrom('a', 'b', 'c'),
      priority: fc.integer({ min: 0, max: 2 }),
    }),
  )
  fc.assert(
    fc.property(entries, (wanted) => {
      const queue = new FairQueue()
      const names = new Map<() => Promise<unknown>, (typeof wanted)[number] & { at: number }>()
      for (const [at, entry] of wanted.entries()) {
        const run = () => Promise.resolve()
        names.set(run, { ...entry, at })
        queue.enqueue(run, entry)
      }
      const out = []
      for (let run = queue.dequeue(); run !== undefined; run = queue.dequeue()) out.push(names.get(run))
      expect(out).toHaveLength(wanted.length)
      expect(out.map((entry) => entry?.priority)).toEqual(
        out.map((entry) => entry?.priority).toSorted((x = 0, y = 0) => y - x),
      )
      for (const [at, entry] of out.entries()) {
        const last = out.slice(0, at).findLastIndex((one) => one?.principal === entry?.principal)
        const waiting = out
          .slice(at + 1)
          .filter((one) => one?.priority === entry?.priority)
          .map((one) => one?.principal)
        const since = out.slice(last, at).map((one) => one?.principal)
        // Whoever still waits was served after this principal's last turn.
        if (last !== -1) expect(since).toEqual(expect.arrayContaining(waiting))
      }
      for (const principal of ['a', 'b', 'c']) {
        for (const priority of [0, 1, 2]) {
          const own = out.filter((entry) => entry?.principal === principal && entry.priority === priority)
          expect(own.map((entry) => entry?.at)).toEqual(own.map((entry) => entry?.at).toSorted((x = 0, y = 0) => x - y))
        }
      }
    }),
  )
})
