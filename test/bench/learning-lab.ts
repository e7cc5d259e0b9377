import { setTimeout as pause } from 'node:timers/promises'
import type { Action } from '@apprentice/contracts/devices/action.ts'
import {
  type Execution,
  normalizeExecution,
  type ResultEnvelope,
} from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { DevicePlane } from '../../src/device-runtime/devices/device-plane.ts'
import type { Driver } from '../../src/devices/driver/driver.ts'
import { runExecution, type StepEvidence } from '../../src/devices/engine/run/run-execution.ts'
import { observeStep } from '../../src/devices/recording/observed-step.ts'
import { executedStep } from '../../src/devices/recording/step-evidence.ts'
import { type Hierarchy, parseHierarchy } from '../../src/screen/hierarchy.ts'
import { printWithoutPasswords } from '../../src/screen/hierarchy-print.ts'
import type { EvidencedRun, EvidencedStep } from '../../src/knowledge/interpret/read/evidence.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { createPhone, type Phone, type PhoneOptions } from '@apprentice/phone/phone.ts'
import { startAdbServerFace } from '@apprentice/phone/wire/adb-server-face.ts'

/** Something a person does, or something that happens to the phone meanwhile. */
export type Doing =
  | { readonly act: Readonly<Record<string, unknown>> & { readonly type: string } }
  | { readonly happens: (phone: Phone) => void }

export interface Shown {
  readonly run: EvidencedRun
  readonly phone: Phone
}

export interface RunReport {
  readonly phone: Phone
  /** Refused before anything was done. */
  readonly refused?: readonly string[]
  readonly envelope?: ResultEnvelope
  readonly touches: number
}

export interface RunSetting {
  readonly inputs: Readonly<Record<string, unknown>>
  /** How the phone differs from the one it was shown on. */
  readonly prepare?: ((phone: Phone) => void) | undefined
  /** Called when a step begins. */
  readonly meanwhile?: ((phone: Phone, stepId: string) => void) | undefined
  readonly options?: PhoneOptions | undefined
}

export interface ShowOptions {
  /** Without it every typed text is known by a name only. */
  readonly consent?: boolean
  readonly prepare?: ((phone: Phone) => void) | undefined
  readonly trace?: string
  readonly options?: PhoneOptions | undefined
}

/** Phones to show things on and to run recipes on, reached through a real adb server and the real engine. */
export interface Lab {
  show(doings: readonly Doing[], options?: ShowOptions): Promise<Shown>
  run(recipe: Recipe, setting: RunSetting): Promise<RunReport>
  close(): Promise<void>
}

export async function openLab(): Promise<Lab> {
  const face = await startAdbServerFace({ hosts: [] })
  let count = 0
  const onPhone = async <T>(
    options: PhoneOptions,
    work: (bench: Bench) => Promise<T>,
  ): Promise<T> => {
    count += 1
    const serial = `lab-${count}`
    const clock = new LabClock()
    const phone = createPhone({ ...options, serial, clock })
    face.addHost(phone)
    const server = { host: '127.0.0.1', port: face.port }
    const plane = new DevicePlane({ server, onSighting: () => {} })
    try {
      return await work({ phone, clock, driver: plane.driver(serial) })
    } finally {
      plane.stop()
      face.removeHost(serial)
    }
  }
  return {
    show: (doings, options = {}) =>
      onPhone(options.options ?? {}, (bench) => show(bench, doings, options)),
    run: (recipe, setting) =>
      onPhone(setting.options ?? {}, (bench) => runRecipe(bench, recipe, setting)),
    close: () => face.close(),
  }
}

interface Bench {
  readonly phone: Phone
  readonly clock: LabClock
  readonly driver: Driver
}

/** Time that passes only by sleeping, and then at once; the same for phone and engine. */
class LabClock {
  #nowMs = Date.UTC(2026, 2, 2, 9, 30)

  now(): number {
    return this.#nowMs
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return
    this.#nowMs += ms
    await pause(0)
  }
}

async function show(
  bench: Bench,
  doings: readonly Doing[],
  { consent = true, prepare, trace = 'trace-1' }: ShowOptions,
): Promise<Shown> {
  const { phone, clock } = bench
  prepare?.(phone)
  const names = new Map<string, string>()
  const steps: EvidencedStep[] = []
  for (const [at, doing] of doings.entries()) {
    if ('happens' in doing) {
      doing.happens(phone)
      continue
    }
    const text = (doing.act['params'] as { text?: string } | undefined)?.text
    if (!consent && text !== undefined) names.set(text, `‹text:${names.size + 1}›`)
    const step = await showOne(bench, doing.act, {
      event_id: `${trace}-event-${at + 1}`,
      trace_id: trace,
      rename: (words) => names.get(words) ?? words,
    })
    steps.push(...step)
    // A person looks before going on.
    await clock.sleep(1500)
  }
  return { phone, run: { trace_id: trace, steps: await withLastLook(bench, steps, names) } }
}

interface Marks {
  readonly event_id: string
  readonly trace_id: string
  readonly rename: (words: string) => string
}

async function showOne(
  bench: Bench,
  act: { readonly type: string },
  marks: Marks,
): Promise<EvidencedStep[]> {
  const seen: { action: Action; evidence: StepEvidence }[] = []
  const execution = payload([{ id: 'a', ...act }])
  const envelope = await perform(bench, execution, {
    onStep: (action, evidence) => void seen.push({ action, evidence }),
  })
  if (envelope.status !== 'success') throw new Error(`${JSON.stringify(act)}: ${envelope.error}`)
  const front = await bench.driver.foreground({ timeoutMs: 5000 })
  return seen.flatMap(({ action, evidence }) =>
    toEvidenced(action, evidence, { ...marks, activity: front?.activity, bench }),
  )
}

function toEvidenced(
  action: Action,
  evidence: StepEvidence,
  {
    event_id,
    trace_id,
    rename,
    activity,
    bench,
  }: Marks & { activity: string | undefined; bench: Bench },
): EvidencedStep[] {
  const [before, after] = [kept(evidence.before, rename), kept(evidence.after, rename)]
  const step = executedStep(action, {
    at_ms: bench.clock.now(),
    ...(before !== undefined && { before: { hierarchy: before } }),
    ...(after !== undefined && { after: { hierarchy: after, activity } }),
    node: evidence.node,
    point: evidence.point,
  })
  if (step === undefined) return []
  const observed = observeStep(step)
  const { action: done } = step
  const path = observed.target?.node.path
  return [
    {
      event_id,
      trace_id,
      kind: done.kind,
      app: observed.app_family,
      action_label: observed.action_label,
      created_at: new Date(bench.clock.now()).toISOString(),
      ...(path !== undefined && { node_path: path }),
      ...(observed.typed_text !== undefined && { text: rename(observed.typed_text) }),
      ...(observed.secret && { secret: true }),
      ...(done.kind === 'text' && done.submit === true && { submit: true }),
      ...(done.kind === 'key' && { key: done.key }),
      ...(done.kind === 'scroll' && { direction: done.direction }),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...(activity !== undefined && { activity }),
    },
  ]
}

/** As it would be read from disk. */
function kept(
  reading: { readonly hierarchy: Hierarchy } | undefined,
  rename: (words: string) => string,
): Hierarchy | undefined {
  if (reading === undefined) return undefined
  const read = parseHierarchy(printWithoutPasswords(reading.hierarchy, rename))
  if (!read.ok) throw new Error(read.message)
  return read.hierarchy
}

/** What the screen had come to when the person said that it was done. */
async function withLastLook(
  { driver }: Bench,
  steps: readonly EvidencedStep[],
  names: ReadonlyMap<string, string>,
): Promise<EvidencedStep[]> {
  const last = steps.at(-1)
  const dump = await driver.dump({ timeoutMs: 5000 })
  const read = dump.outcome === 'failed' ? undefined : parseHierarchy(dump.xml)
  if (last === undefined || read === undefined || !read.ok) return [...steps]
  const after = kept({ hierarchy: read.hierarchy }, (words) => names.get(words) ?? words)
  return [...steps.slice(0, -1), { ...last, ...(after !== undefined && { after }) }]
}

async function runRecipe(bench: Bench, recipe: Recipe, setting: RunSetting): Promise<RunReport> {
  const { phone } = bench
  setting.prepare?.(phone)
  const compiled = compileRecipe(recipe, setting.inputs)
  if (!compiled.ok) {
    return { phone, touches: 0, refused: compiled.violations.map(({ message }) => message) }
  }
  let touches = 0
  const envelope = await perform(
    { ...bench, driver: counting(bench.driver, () => (touches += 1)) },
    compiled.execution,
    {
      onStart: async (id) => {
        if (setting.meanwhile === undefined) return
        setting.meanwhile(phone, id)
        // Long enough for what was seen before to be out of date.
        await bench.clock.sleep(500)
      },
    },
  )
  return { phone, envelope, touches }
}

const TOUCHES = new Set(['tap', 'longPress', 'enterText'])

function counting(driver: Driver, touched: () => void): Driver {
  return new Proxy(driver, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (TOUCHES.has(String(name))) touched()
        return Reflect.apply(value, target, args) as unknown
      }
    },
  })
}

interface Watching {
  readonly onStart?: (id: string) => Promise<void>
  readonly onStep?: (action: Action, evidence: StepEvidence) => void
}

function perform(bench: Bench, execution: Execution, watching: Watching): Promise<ResultEnvelope> {
  const actions = new Map(execution.actions.map((action) => [action.id, action]))
  return runExecution(execution, {
    driver: bench.driver,
    timeoutMs: 120_000,
    signal: new AbortController().signal,
    captureEvidence: watching.onStep !== undefined,
    keepScreenshot: async () => ({ path: '', evidence_id: '' }),
    onStepStarted: async ({ id }) => watching.onStart?.(id),
    onStepFinished: async (result, evidence) => {
      const action = actions.get(result.id)
      if (action !== undefined && result.success) watching.onStep?.(action, evidence)
    },
    now: () => bench.clock.now(),
    sleep: (ms, signal) => bench.clock.sleep(ms, signal),
    random: () => 0.5,
  })
}

function payload(actions: readonly object[]): Execution {
  const normalized = normalizeExecution({
    commandId: 'shown',
    taskId: 'shown',
    source: 'lab',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 60_000,
    actions,
  })
  if (!normalized.ok) throw new Error(normalized.failure.reason)
  return normalized.execution
}
