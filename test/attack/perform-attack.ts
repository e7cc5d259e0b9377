import { availableParallelism, loadavg } from 'node:os'
import { Attack } from './attack.ts'
import { attackWithBundles } from './bundle-attack.ts'
import { attackDevice } from './device-attack.ts'
import { attackDisk } from './disk-attack.ts'
import { type HealthFigures, HealthProbe } from './health-probe.ts'
import { attackWithKills } from './kill-attack.ts'
import type { AttackPlan } from './plan.ts'
import { attackWithRequests } from './request-attack.ts'

const HEALTH_P99_MS = 200
/** If timers of an idle process are later than this, the machine has more work than processors. */
const LOADED_TIMER_MS = 20

const PARTS: readonly (readonly [string, (attack: Attack) => Promise<void>])[] = [
  ['fuzzed requests', attackWithRequests],
  ['hostile bundles', attackWithBundles],
  ['device faults', attackDevice],
  ['full disks', attackDisk],
  ['kills', attackWithKills],
]

export interface AttackReport {
  readonly plan: AttackPlan
  readonly seconds: number
  readonly processors: number
  /** The load of the machine before and after the attack. */
  readonly load: readonly [number, number]
  readonly health: Omit<HealthFigures, 'disk_waits'>
  readonly figures: Readonly<Record<string, unknown>>
  /** What should not have happened. Empty if the daemon withstood the attack. */
  readonly faults: readonly string[]
}

/** Does everything of the plan, each part against daemons of its own, and returns the figures. */
export async function performAttack(plan: AttackPlan, say: (line: string) => void): Promise<AttackReport> {
  const probe = new HealthProbe(plan.probe_interval_ms)
  const attack = new Attack(plan, probe, say)
  const [loadBefore = 0] = loadavg()
  try {
    for (const [name, part] of PARTS) {
      attack.say(name)
      await runPart(attack, name, part)
    }
    for (const fault of findShortfalls(attack)) attack.figures.fault(fault)
    const { disk_waits: diskWaits, ...health } = await probe.finish()
    if (plan.judges_time) attack.figures.judgeLate(diskWaits, health.control_p99_ms > LOADED_TIMER_MS)
    const { faults, ...figures } = attack.summarize() as { faults: string[] }
    return {
      plan,
      seconds: attack.seconds,
      processors: availableParallelism(),
      load: [loadBefore, loadavg()[0] ?? 0],
      health,
      figures,
      faults: [...faults, ...(plan.judges_time ? findHealthFaults(health) : [])],
    }
  } finally {
    probe.close()
  }
}

async function runPart(attack: Attack, name: string, part: (attack: Attack) => Promise<void>): Promise<void> {
  try {
    await part(attack)
  } catch (error) {
    attack.figures.fault(`${name} ended with ${error instanceof Error ? error.stack : String(error)}`)
  }
}

/** An attack that did less than its plan proves less than it says. */
function findShortfalls({ plan, figures: { counts } }: Attack): string[] {
  const planned = {
    fuzzed_requests: plan.requests,
    hostile_bundles: plan.bundles,
    device_faults: plan.device_faults,
    disk_full_moments: plan.disk_full,
    kills: plan.kills,
  }
  const short = Object.entries(planned).flatMap(([what, count]) => {
    const done = counts[what] ?? 0
    return done < count ? [`only ${done} of ${count} ${what.replaceAll('_', ' ')} were done`] : []
  })
  const lacksMcp = plan.requests >= 1000 && (counts['mcp_requests'] ?? 0) < plan.requests / 20
  return [...short, ...(lacksMcp ? ['too few requests were sent to MCP'] : [])]
}

/** Time in which the daemon waited for a processor or for the disk is the load of the machine and does not count. */
function findHealthFaults({ own_p99_ms, unanswered, samples }: AttackReport['health']): string[] {
  return [
    ...(own_p99_ms > HEALTH_P99_MS ? [`/healthz took ${own_p99_ms} ms at the 99th percentile`] : []),
    ...(unanswered > 0 ? [`/healthz was not answered ${unanswered} times`] : []),
    ...(samples === 0 ? ['/healthz was never asked'] : []),
  ]
}
