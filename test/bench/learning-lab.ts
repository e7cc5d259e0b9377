import { setTimeout as pause } from 'node:timers/promises'
import type { Action } from '@apprentice/contracts/devices/action.ts'
import { type Execution, normalizeExecution, type ResultEnvelope } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { AdbClient } from '../../src/devices/adb/adb-client.ts'
import { AndroidDriver } from '../../src/devices/driver/android-driver.ts'
import { DeviceShell } from '../../src/devices/shell/device-shell.ts'
import type { Driver } from '../../src/devices/driver/driver.ts'
import { runExecution, type StepEvidence } from '../../src/devices/engine/execution/run-execution.ts'
import { describeStep } from '../../src/devices/recording/step-description.ts'
import { toCapturedStep } from '../../src/devices/recording/captured-step.ts'
import { type Hierarchy, parseHierarchy } from '../../src/screen/tree/hierarchy.ts'
import { printWithoutPasswords } from '../../src/screen/hierarchy-print.ts'
import type { ObservedTrace, ObservedStep } from '../../src/knowledge/steps/observed-step.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { createPhone, type Phone, type PhoneOptions } from '@apprentice/phone/phone.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'

/** An action of a person, or an event on the phone. */
export type LabAction =
  | { readonly action: Readonly<Record<string, unknown>> & { readonly type: string } }
  | { readonly happens: (phone: Phone) => void }

export interface LabDemonstration {
  readonly trace: ObservedTrace
  readonly phone: Phone
}

export interface LabReport {
  readonly phone: Phone
  /** Why the recipe was refused before any action. */
  readonly refused?: readonly string[]
  readonly envelope?: ResultEnvelope
  readonly touches: number
  /** The time that passed on the clock of the phone. */
  readonly elapsedMs: number
}

export interface RunOptions {
  readonly inputs: Readonly<Record<string, unknown>>
  /** Prepares the phone before the run. */
  readonly prepare?: ((phone: Phone) => void) | undefined
  /** Called when a step starts. */
  readonly meanwhile?: ((phone: Phone, stepId: string) => void) | undefined
  readonly options?: PhoneOptions | undefined
  /** Leaves out other actions. */
  readonly keep?: ((action: Action) => boolean) | undefined
}

export interface DemonstrateOptions {
  /** Without consent, typed texts are stored as tokens. */
  readonly consent?: boolean
  readonly prepare?: ((phone: Phone) => void) | undefined
  readonly trace_id?: string
  readonly options?: PhoneOptions | undefined
}

/** Simulated phones for demonstrations and recipe runs, reached through the adb protocol and the real engine. */
export interface Lab {
  demonstrate(actions: readonly LabAction[], options?: DemonstrateOptions): Promise<LabDemonstration>
  run(recipe: Recipe, options: RunOptions): Promise<LabReport>
  close(): Promise<void>
}

export async function openLab(): Promise<Lab> {
  const face = await startAdbServer({ hosts: [] })
  let count = 0
  const onPhone = async <T>(options: PhoneOptions, work: (labPhone: LabPhone) => Promise<T>): Promise<T> => {
    count += 1
    const serial = `lab-${count}`
    const clock = new LabClock()
    const phone = createPhone({ ...options, serial, clock })
    face.addHost(phone)
    const server = { host: '127.0.0.1', port: face.port }
    const shell = new DeviceShell(new AdbClient(server), serial)
    try {
      return await work({ phone, clock, driver: new AndroidDriver(shell, { server, serial }) })
    } finally {
      shell.close()
      face.removeHost(serial)
    }
  }
  return {
    demonstrate: (actions, options = {}) =>
      onPhone(options.options ?? {}, (labPhone) => demonstrate(labPhone, actions, options)),
    run: (recipe, options) => onPhone(options.options ?? {}, (labPhone) => runRecipe(labPhone, recipe, options)),
    close: () => face.close(),
  }
}

interface LabPhone {
  readonly phone: Phone
  readonly clock: LabClock
  readonly driver: Driver
}

/** A clock for phone and engine that advances only in `sleep`, without waiting. */
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

async function demonstrate(
  labPhone: LabPhone,
  actions: readonly LabAction[],
  { consent = true, prepare, trace_id = 'trace-1' }: DemonstrateOptions,
): Promise<LabDemonstration> {
  const { phone, clock } = labPhone
  prepare?.(phone)
  const tokens = new Map<string, string>()
  const rename = (text: string) => tokens.get(text) ?? text
  const steps: ObservedStep[] = []
  for (const [at, step] of actions.entries()) {
    if ('happens' in step) {
      step.happens(phone)
      continue
    }
    const text = (step.action['params'] as { text?: string } | undefined)?.text
    if (!consent && text !== undefined) tokens.set(text, `‹text:${tokens.size + 1}›`)
    const ids = { event_id: `${trace_id}-event-${at + 1}`, trace_id }
    steps.push(...(await demonstrateAction(labPhone, step.action, { ids, rename })))
    // A person waits for the screen before the next action.
    await clock.sleep(1500)
  }
  return { phone, trace: { trace_id, steps: await addLastReading(labPhone, steps, rename) } }
}

interface StepContext {
  readonly ids: Pick<ObservedStep, 'event_id' | 'trace_id'>
  readonly rename: (text: string) => string
}

async function demonstrateAction(
  labPhone: LabPhone,
  requested: { readonly type: string },
  context: StepContext,
): Promise<ObservedStep[]> {
  const finished: { action: Action; evidence: StepEvidence }[] = []
  const execution = toExecution([{ id: 'a', ...requested }])
  const envelope = await execute(labPhone, execution, {
    onStep: (action, evidence) => void finished.push({ action, evidence }),
  })
  if (envelope.status !== 'success') {
    throw new Error(`${JSON.stringify(requested)}: ${envelope.error}`)
  }
  const foreground = await labPhone.driver.foreground({ timeoutMs: 5000 })
  const at_ms = labPhone.clock.now()
  return finished.flatMap(({ action, evidence }) =>
    toObservedSteps(action, evidence, { ...context, activity: foreground?.activity, at_ms }),
  )
}

function toObservedSteps(
  action: Action,
  evidence: StepEvidence,
  { ids, rename, activity, at_ms }: StepContext & { readonly activity: string | undefined; readonly at_ms: number },
): ObservedStep[] {
  const before = parseStored(evidence.before, rename)
  const after = parseStored(evidence.after, rename)
  const step = toCapturedStep(action, {
    at_ms,
    ...(before !== undefined && { before: { hierarchy: before } }),
    ...(after !== undefined && { after: { hierarchy: after, activity } }),
    node: evidence.node,
    point: evidence.point,
    end: evidence.end,
  })
  if (step === undefined) return []
  const { window_title: _title, target: _target, text, ...described } = describeStep(step)
  return [{ ...ids, ...described, text: text && rename(text), activity, before, after }]
}

/** A tree as it would be loaded from its stored evidence. */
function parseStored(
  reading: { readonly hierarchy: Hierarchy } | undefined,
  rename: StepContext['rename'],
): Hierarchy | undefined {
  if (reading === undefined) return undefined
  const parsed = parseHierarchy(printWithoutPasswords(reading.hierarchy, rename))
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.hierarchy
}

/** Reads the settled screen at the end of a demonstration. */
async function addLastReading(
  { driver }: LabPhone,
  steps: readonly ObservedStep[],
  rename: StepContext['rename'],
): Promise<ObservedStep[]> {
  const last = steps.at(-1)
  const dump = await driver.dump({ timeoutMs: 5000 })
  const parsed = dump.outcome === 'failed' ? undefined : parseHierarchy(dump.xml)
  if (last === undefined || parsed === undefined || !parsed.ok) return [...steps]
  return [...steps.slice(0, -1), { ...last, after: parseStored(parsed, rename) }]
}

async function runRecipe(labPhone: LabPhone, recipe: Recipe, options: RunOptions): Promise<LabReport> {
  const { phone } = labPhone
  options.prepare?.(phone)
  const compiled = compileRecipe(recipe, options.inputs)
  if (!compiled.ok) {
    return { phone, touches: 0, elapsedMs: 0, refused: compiled.violations.map(({ message }) => message) }
  }
  let touches = 0
  const { keep = () => true } = options
  const execution = { ...compiled.execution, actions: compiled.execution.actions.filter(keep) }
  const startedMs = labPhone.clock.now()
  const envelope = await execute(
    { ...labPhone, driver: countTouches(labPhone.driver, () => (touches += 1)) },
    execution,
    {
      onStart: async (id) => {
        if (options.meanwhile === undefined) return
        options.meanwhile(phone, id)
        // Longer than the engine uses an earlier reading.
        await labPhone.clock.sleep(500)
      },
    },
  )
  return { phone, envelope, touches, elapsedMs: labPhone.clock.now() - startedMs }
}

const TOUCHES = new Set(['tap', 'longPress', 'enterText'])

function countTouches(driver: Driver, onTouch: () => void): Driver {
  return new Proxy(driver, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (TOUCHES.has(String(name))) onTouch()
        return Reflect.apply(value, target, args) as unknown
      }
    },
  })
}

interface ExecutionHooks {
  readonly onStart?: (id: string) => Promise<void>
  readonly onStep?: (action: Action, evidence: StepEvidence) => void
}

function execute(labPhone: LabPhone, execution: Execution, hooks: ExecutionHooks): Promise<ResultEnvelope> {
  const actions = new Map(execution.actions.map((action) => [action.id, action]))
  return runExecution(execution, {
    driver: labPhone.driver,
    timeoutMs: 120_000,
    signal: new AbortController().signal,
    captureEvidence: hooks.onStep !== undefined,
    saveScreenshot: async () => ({ path: '', evidence_id: '' }),
    onStepStarted: async ({ id }) => hooks.onStart?.(id),
    onStepFinished: async (result, evidence) => {
      const action = actions.get(result.id)
      if (action !== undefined && result.success) hooks.onStep?.(action, evidence)
    },
    now: () => labPhone.clock.now(),
    sleep: (ms, signal) => labPhone.clock.sleep(ms, signal),
    random: () => 0.5,
  })
}

function toExecution(actions: readonly object[]): Execution {
  const normalized = normalizeExecution({
    commandId: 'demonstration',
    taskId: 'demonstration',
    source: 'lab',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 60_000,
    actions,
  })
  if (!normalized.ok) throw new Error(normalized.failure.reason)
  return normalized.execution
}
