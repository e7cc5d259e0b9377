import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { createRandom, type Random } from '../crash/random.ts'
import { tapMark } from '../devices/pool/pool.ts'
import type { FaultRig, RigPhone } from './fault-rig.ts'

const MARKS = [0, 1, 2, 3, 4, 5, 6, 7] as const
const FAULTS = { host_killed: 3, host_frozen: 3, network_cut: 3, redis_killed: 2, daemon_killed: 1 } as const
type Fault = keyof typeof FAULTS
/** How many executions of a phone wait at most. */
const QUEUED = 5
/** A phone that no execution succeeds on for this long after a fault counts as lost. */
const RETURN_LIMIT_MS = 60_000

interface Sent {
  readonly commandId: string
  readonly phone: RigPhone
  readonly mark: number
  readonly priority: number
  /** Known once the daemon has acknowledged it. */
  id?: string
}

export interface SoakRequest {
  readonly seed: number
  readonly faults: number
  readonly lostAfterMs: number
  /** No further fault is caused after this time. */
  readonly withinMs: number
}

export interface SoakResult {
  readonly faults: Readonly<Partial<Record<Fault, number>>>
  readonly acknowledged: number
  /** How the acknowledged executions ended. */
  readonly states: Readonly<Record<string, number>>
  /** Acknowledged executions that the daemon does not know or that never ended. */
  readonly lost: readonly string[]
  /** As the phones themselves counted them. */
  readonly taps: number
  /** Phones whose taps are not those of their executions, with the taps. */
  readonly unexplained: readonly string[]
  /** From the end of a fault until an execution had succeeded on every phone, for each kind of fault. */
  readonly usableAfterMs: Readonly<Partial<Record<Fault, readonly number[]>>>
}

/** Sends executions to all phones without a break, while faults happen one after another at random times. */
export async function runFaultSoak(
  rig: FaultRig,
  { seed, faults, lostAfterMs, withinMs }: SoakRequest,
): Promise<SoakResult> {
  const endsAt = performance.now() + withinMs
  const random = createRandom(seed)
  const phones = rig.hosts.flatMap((host) => host.phones)
  const sent: Sent[] = []
  const load = { over: false }
  const senders = phones.map((phone) => keepSending(rig, phone, { sent, load, random }))
  const usableAfterMs: Partial<Record<Fault, number[]>> = {}
  for (let at = 0; at < faults && performance.now() < endsAt; at += 1) {
    const fault = random.pickWeighted(FAULTS)
    await sleep(random.int(0, 400))
    await cause(rig, fault, { random, lostAfterMs })
    const mendedAt = performance.now()
    await Promise.all(
      phones.map((phone) =>
        untilUsable(rig, phone, { sent, random }).catch((error: unknown) => {
          throw new Error(`Seed ${seed}: ${phone.serial} did not return after fault ${at + 1}, ${fault}.`, {
            cause: error,
          })
        }),
      ),
    )
    const times = (usableAfterMs[fault] ??= [])
    times.push(Math.round(performance.now() - mendedAt))
  }
  load.over = true
  await Promise.all(senders)
  const counts = Object.entries(usableAfterMs).map(([fault, times]) => [fault, times.length])
  return {
    faults: Object.fromEntries(counts) as SoakResult['faults'],
    usableAfterMs,
    ...(await judge(rig, phones, sent)),
  }
}

/** Sends executions to a phone one after another, until one has succeeded. */
async function untilUsable(
  rig: FaultRig,
  phone: RigPhone,
  { sent, random }: { readonly sent: Sent[]; readonly random: Random },
): Promise<void> {
  const endsAt = performance.now() + RETURN_LIMIT_MS
  for (;;) {
    // It need not wait for what the phone has missed.
    const one = await sendOne(rig, phone, { sent, random, priority: 9 })
    const { state } = await rig.end(one.id)
    if (state === 'succeeded') return
    if (performance.now() > endsAt) throw new Error(`its executions end as ${state}`)
  }
}

/** Keeps a few executions in the queue of a phone. One that was not acknowledged is sent again with its id. */
async function keepSending(
  rig: FaultRig,
  phone: RigPhone,
  { sent, load, random }: { readonly sent: Sent[]; readonly load: { over: boolean }; readonly random: Random },
): Promise<void> {
  const open: string[] = []
  while (!load.over) {
    const one = await sendOne(rig, phone, { sent, random })
    if (open.push(one.id) > QUEUED) await rig.end(open.shift() ?? '').catch(() => {})
    if (random.chance(0.1)) await rig.cancel(one.id).catch(() => {})
    await sleep(random.int(20, 150))
  }
}

async function sendOne(
  rig: FaultRig,
  phone: RigPhone,
  { sent, random, priority = 0 }: { readonly sent: Sent[]; readonly random: Random; readonly priority?: number },
): Promise<Sent & { readonly id: string }> {
  const one: Sent = { commandId: `soak-${sent.length}`, phone, mark: random.pick(MARKS), priority }
  sent.push(one)
  while (one.id === undefined) await acknowledge(rig, one)
  return { ...one, id: one.id }
}

async function acknowledge(rig: FaultRig, one: Sent): Promise<void> {
  const { phone, mark, commandId, priority } = one
  try {
    const execution = await rig.send(phone.serial, [tapMark(mark)], { commandId, priority })
    const id = (execution as { readonly execution_id?: string } | undefined)?.execution_id
    if (id !== undefined) one.id = id
  } catch {
    // The daemon is down. Whether it has the execution is not known.
  }
  if (one.id === undefined) await sleep(100)
}

async function cause(
  rig: FaultRig,
  fault: Fault,
  { random, lostAfterMs }: { readonly random: Random; readonly lostAfterMs: number },
): Promise<void> {
  const host = random.pick(rig.hosts)
  // Some are short enough to pass unnoticed.
  const forMs = random.int(50, lostAfterMs * 2)
  switch (fault) {
    case 'host_killed':
      await host.kill()
      return host.start()
    case 'host_frozen':
      host.signal('SIGSTOP')
      await sleep(forMs)
      return host.signal('SIGCONT')
    case 'network_cut':
      host.network.cut()
      await sleep(forMs)
      return host.network.mend()
    case 'redis_killed':
      await rig.redis.kill()
      await sleep(forMs / 2)
      return rig.redis.start()
    case 'daemon_killed':
      await rig.killDaemon()
      await sleep(forMs / 2)
      return rig.serve()
  }
}

async function judge(rig: FaultRig, phones: readonly RigPhone[], sent: readonly Sent[]) {
  const states: Record<string, number> = {}
  const lost: string[] = []
  const ended: (Sent & { readonly execution: ExecutionRecord })[] = []
  for (const one of sent) {
    const execution = await rig.end(one.id ?? '').catch(() => undefined)
    const state = execution?.state ?? 'unknown'
    states[state] = (states[state] ?? 0) + 1
    if (execution === undefined) lost.push(one.commandId)
    else ended.push({ ...one, execution })
  }
  const unexplained = phones.flatMap((phone) => {
    const started = ended
      .filter((one) => one.phone === phone && one.execution.started_at !== undefined)
      .toSorted((a, b) => (a.execution.started_at ?? '').localeCompare(b.execution.started_at ?? ''))
      .map(({ mark, execution }) => ({ mark: String(mark), isSure: execution.state === 'succeeded' }))
    return explains(started, phone.order()) ? [] : [`${phone.serial}: ${phone.order().join(' ')}`]
  })
  const taps = phones.reduce((sum, phone) => sum + phone.order().length, 0)
  return { acknowledged: sent.length, states, lost, taps, unexplained }
}

interface Started {
  readonly mark: string
  /** It tapped exactly once. The others tapped once or not at all. */
  readonly isSure: boolean
}

/**
 * Whether the taps are those of the executions, in their order: none of one that did not start, none twice, none missing
 * of one that succeeded, and none of an earlier one after a later one began.
 */
export function explains(started: readonly Started[], taps: readonly string[]): boolean {
  let reached = new Set([0])
  for (const { mark, isSure } of started) {
    const tapped = [...reached].filter((at) => taps[at] === mark).map((at) => at + 1)
    reached = new Set(isSure ? tapped : [...reached, ...tapped])
  }
  return reached.has(taps.length)
}
