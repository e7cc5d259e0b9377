import { expect, test } from 'vitest'
import { createRandom } from '../crash/random.ts'
import { simulateLab } from './simulated-lab.ts'
import { Simulation, Station } from './simulated-queues.ts'

/** The mean wait before a station with exponential times between arrivals and of service. */
function simulateWait({ servers, arrivalMs, serviceMs }: { servers: number; arrivalMs: number; serviceMs: number }) {
  const random = createRandom(7)
  const sample = (meanMs: number) => -Math.log(1 - random.next()) * meanMs
  const simulation = new Simulation()
  const station = new Station(simulation, servers)
  const arrive = () => {
    station.serve(sample(serviceMs), () => {})
    simulation.after(sample(arrivalMs), arrive)
  }
  arrive()
  simulation.runUntil(arrivalMs * 400_000)
  return station.waitedMs / station.served
}

/** The wait that Erlang's formula gives. */
function computeWait({ servers, arrivalMs, serviceMs }: { servers: number; arrivalMs: number; serviceMs: number }) {
  const load = serviceMs / arrivalMs
  let term = 1
  let sum = 0
  for (let busy = 0; busy < servers; busy += 1) {
    sum += term
    term *= load / (busy + 1)
  }
  const all = term / (1 - load / servers)
  return ((all / (sum + all)) * serviceMs) / (servers - load)
}

test.each([
  { servers: 1, arrivalMs: 10, serviceMs: 5 },
  { servers: 1, arrivalMs: 10, serviceMs: 8 },
  { servers: 2, arrivalMs: 10, serviceMs: 14 },
  { servers: 4, arrivalMs: 10, serviceMs: 34 },
])('$servers servers make arrivals wait as the formula of queueing says ($arrivalMs, $serviceMs)', (queue) => {
  const expected = computeWait(queue)
  expect(Math.abs(simulateWait(queue) / expected - 1)).toBeLessThan(0.05)
})

test('the formula for one server is that of M/M/1', () => {
  expect(computeWait({ servers: 1, arrivalMs: 10, serviceMs: 8 })).toBeCloseTo((0.8 * 8) / (1 - 0.8), 6)
})

test('what happens at one time happens in the order in which it was planned', () => {
  const simulation = new Simulation()
  const seen: number[] = []
  for (const [at, ms] of [5, 1, 5, 3, 5, 1].entries()) simulation.after(ms, () => seen.push(at))
  simulation.runUntil(4)
  expect([seen, simulation.nowMs]).toEqual([[1, 5, 3], 4])
  simulation.runUntil(10)
  expect(seen).toEqual([1, 5, 3, 0, 2, 4])
})

const times = { startMs: 2, stepMs: 1, hostStepMs: 10, phoneStepMs: [100, 200] }

test('a lab does as much as its phones ask for, up to what the slowest part can do', () => {
  const base = { seed: 1, phones: 40, hosts: 2, hostProcessors: 4, steps: 5, pauseMs: 4000, seconds: 200, times }
  const idle = simulateLab(base)
  // One execution of a phone takes 4 s of pause and 5 steps of 160 ms, and little waiting.
  expect(idle.executionsPerSecond).toBeCloseTo(40 / 4.8, 0)
  expect(idle.daemonBusy).toBeCloseTo((idle.executionsPerSecond * 7) / 1000, 2)
  expect(idle.waitP95Ms).toBeLessThan(10)
  const full = simulateLab({ ...base, phones: 400, pauseMs: 400, seconds: 60 })
  expect(full.daemonBusy + full.hostBusy).toBeGreaterThan(0.95)
  expect(full.executionsPerSecond).toBeLessThan((1000 / 7) * 1.01)
  expect(simulateLab(base)).toEqual(idle)
  expect(simulateLab({ ...base, seed: 2 })).not.toEqual(idle)
})
