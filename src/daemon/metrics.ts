import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Prometheus metrics. One registry per daemon, so that tests can run several in one process. */
export interface Metrics {
  readonly registry: Registry
  readonly requests: Histogram<'route' | 'status'>
  readonly refusals: Counter<'code'>
  readonly executionWait: Histogram
}

export interface Gauges {
  readonly subscribers: () => number
  readonly projectionsBehind: () => number
  readonly loopDelay: () => { readonly longest_ms: number; readonly mean_ms: number }
  /** Keyed by serial. */
  readonly queueDepths: () => ReadonlyMap<string, number>
}

export function createMetrics(gauges: Gauges): Metrics {
  const registry = new Registry()
  addGauge(registry, 'process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  addGauge(registry, 'process_uptime_seconds', 'Time since start.', () => process.uptime())
  addGauge(registry, 'apprentice_streams_open', 'Open event streams.', gauges.subscribers)
  addGauge(
    registry,
    'apprentice_mirrors_behind',
    'Events not yet written to projection files.',
    gauges.projectionsBehind,
  )
  addQueueGauge(registry, gauges.queueDepths)
  addLoopDelayGauge(registry, gauges.loopDelay)
  return {
    registry,
    requests: new Histogram({
      name: 'apprentice_request_seconds',
      help: 'Time from request to reply.',
      labelNames: ['route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
      registers: [registry],
    }),
    refusals: new Counter({
      name: 'apprentice_refusals_total',
      help: 'Requests refused, by failure code.',
      labelNames: ['code'],
      registers: [registry],
    }),
    executionWait: new Histogram({
      name: 'apprentice_execution_wait_seconds',
      help: 'Time an execution waited in the queue of its device.',
      buckets: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60, 120],
      registers: [registry],
    }),
  }
}

function addQueueGauge(registry: Registry, depths: Gauges['queueDepths']): void {
  const instance = new Gauge({
    name: 'apprentice_lane_depth',
    help: 'Executions waiting or running on a device.',
    labelNames: ['serial'],
    registers: [registry],
    collect: () => {
      instance.reset()
      for (const [serial, depth] of depths()) instance.set({ serial }, depth)
    },
  })
}

function addLoopDelayGauge(registry: Registry, readDelay: Gauges['loopDelay']): void {
  const instance = new Gauge({
    name: 'apprentice_event_loop_delay_seconds',
    help: 'How late timers ran since the last scrape.',
    labelNames: ['statistic'],
    registers: [registry],
    collect: () => {
      const { longest_ms, mean_ms } = readDelay()
      instance.set({ statistic: 'max' }, longest_ms / 1000)
      instance.set({ statistic: 'mean' }, mean_ms / 1000)
    },
  })
}

function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const instance = new Gauge({
    name,
    help,
    registers: [registry],
    collect: () => {
      instance.set(read())
    },
  })
}
