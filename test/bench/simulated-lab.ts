import { createRandom } from '../crash/random.ts'
import { quantile } from './figure.ts'
import { Simulation, Station } from './simulated-queues.ts'

export interface ServiceTimes {
  /** Processor time of the daemon for one execution: request, rows, events, hand over, reply. */
  readonly startMs: number
  /** Processor time of the daemon for each step that is reported. */
  readonly stepMs: number
  /** Processor time of the host for each step. */
  readonly hostStepMs: number
  /** Recorded times that a phone takes for one step. Each step takes one of them. */
  readonly phoneStepMs: readonly number[]
}

export interface LabRequest {
  readonly seed: number
  readonly phones: number
  readonly hosts: number
  readonly hostProcessors: number
  /** Of each execution. */
  readonly steps: number
  /** The mean time between the end of an execution on a phone and the request for its next one; exponential. */
  readonly pauseMs: number
  readonly seconds: number
  readonly times: ServiceTimes
}

export interface LabResult {
  readonly executionsPerSecond: number
  /** The share of time in which the thread of the daemon works, and a processor of a host. */
  readonly daemonBusy: number
  readonly hostBusy: number
  /** From the request until the daemon has begun to hand the execution over. */
  readonly waitP95Ms: number
  readonly durationP50Ms: number
  readonly durationP95Ms: number
}

/**
 * A daemon with one thread, hosts with some processors, and phones that do one step at a time. Assumptions: every queue
 * is served in the order of arrival; the network and Redis take no time of their own; steps are reported at once; the
 * daemon's work for a step holds up other work of the daemon, but not the next step; an execution has ended when the daemon
 * has its last step; nothing fails.
 */
export function simulateLab(request: LabRequest): LabResult {
  const { phones, hosts, hostProcessors, seconds } = request
  const random = createRandom(request.seed)
  const simulation = new Simulation()
  const daemon = new Station(simulation, 1)
  const machines = Array.from({ length: hosts }, () => new Station(simulation, hostProcessors))
  const waits: number[] = []
  const durations: number[] = []
  for (let phone = 0; phone < phones; phone += 1) {
    const machine = machines[phone % hosts] ?? daemon
    const serve = () => {
      const askedMs = simulation.nowMs
      daemon.serve(request.times.startMs, () => {
        waits.push(simulation.nowMs - request.times.startMs - askedMs)
        doSteps(request.steps, () => {
          durations.push(simulation.nowMs - askedMs)
          simulation.after(sample(request.pauseMs), serve)
        })
      })
    }
    const doSteps = (left: number, done: () => void): void => {
      machine.serve(request.times.hostStepMs, () => {
        simulation.after(random.pick(request.times.phoneStepMs), () => {
          const isLast = left === 1
          daemon.serve(request.times.stepMs, isLast ? done : () => {})
          if (!isLast) doSteps(left - 1, done)
        })
      })
    }
    simulation.after(random.next() * request.pauseMs, serve)
  }
  const sample = (meanMs: number) => -Math.log(1 - random.next()) * meanMs
  simulation.runUntil(seconds * 1000)
  const hostMs = machines.reduce((sum, { busyMs }) => sum + busyMs, 0)
  return {
    executionsPerSecond: durations.length / seconds,
    daemonBusy: daemon.busyMs / (seconds * 1000),
    hostBusy: hostMs / (hosts * hostProcessors * seconds * 1000),
    waitP95Ms: quantile(waits, 0.95),
    durationP50Ms: quantile(durations, 0.5),
    durationP95Ms: quantile(durations, 0.95),
  }
}
