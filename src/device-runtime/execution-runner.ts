import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import { runExecution } from '../devices/engine/run/run-execution.ts'
import { forgetTexts } from '../domain/devices/executions.ts'
import { replaceLiteral } from '../domain/capture/typed-texts.ts'
import type { ExecutionRunner } from '../jobs/device-executions.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import type { DeviceReader } from './devices/device-reader.ts'
import type { DeviceManager } from './devices/device-manager.ts'
import type { ExecutionEvidence } from './evidence/execution-evidence.ts'
import { watchPolicy } from './policy-watch.ts'
import type { Doing, Recorder } from './evidence/proxy-capture.ts'
import type { Recordings } from './evidence/recordings.ts'
import { StepRecorder } from './evidence/step-recorder.ts'

export interface ExecutionRunnerDeps {
  readonly floor: DeviceManager
  readonly eyes: DeviceReader
  readonly recorder: Recorder
  readonly recordings: Recordings
  readonly executionEvidence: ExecutionEvidence
}

/** What stands for a password once it has been typed. */
const hidden = '•••'

/** Gives the engine its device, a place for its pictures, and whoever listens to what it does. */
export function createExecutionRunner(
  edges: RunnerDeps,
  stage: ExecutionRunnerDeps,
): ExecutionRunner {
  const { floor, eyes, recorder, recordings, executionEvidence } = stage
  return async (
    execution,
    { serial, execution_id, owner_user_id, timeoutMs, signal, ...steps },
  ) => {
    const doing = { serial, owner_user_id, execution_id }
    const endsMs = Date.now() + timeoutMs
    const actions = new Map(execution.actions.map((action) => [action.id, action]))
    const driver = floor.driver(serial)
    const listening = recorder.isListening(doing)
    const spelling = await spellingOf(recorder, doing, execution.actions)
    const forgotten = new Map(spelling.names)
    const admit = watchPolicy(edges, execution_id)
    // A capture that listens keeps what it may of this by its own rules, and nobody else keeps more.
    const witness = new StepRecorder(
      !listening && executionEvidence.isWanted(execution_id, execution),
    )
    const running = runExecution(execution, {
      driver,
      timeoutMs,
      signal,
      captureEvidence: listening,
      onLook: (reading) => witness.saw(reading),
      recording: recordings.switchFor(doing),
      ...(admit === undefined ? {} : { admit }),
      keepScreenshot: async (png) => {
        const kept = await eyes.keepPicture(png, doing)
        return { path: kept.url, evidence_id: kept.evidence_id }
      },
      onStepStarted: (step) => steps.onStepStarted(step),
      onStepFinished: async (result, seen) => {
        await steps.onStepFinished(named(result, spelling))
        const action = actions.get(result.id)
        if (seen.password === true) forgotten.set(result.id, hidden)
        const done = result.success && result.outcome !== 'skipped'
        if (!done || action === undefined) return
        witness.did(action, seen, edges.clock().getTime())
        if (!listening) return
        // The tree does not tell which of an app's windows it is.
        const front = await driver.foreground({ timeoutMs: 5000, signal }).catch(() => undefined)
        await recorder.executed(doing, { action, seen, activity: front?.activity })
      },
    })
    try {
      const envelope = withNames(await running, spelling)
      await executionEvidence.persist(witness, { doing, driver, signal, endsMs })
      return envelope
    } finally {
      await forget(edges, execution_id, forgotten)
    }
  }
}

/** How typed texts may be kept; empty when their literals may. */
interface Spelling {
  readonly names: ReadonlyMap<string, string>
  readonly literals: readonly { readonly literal: string; readonly by: string }[]
}

async function spellingOf(
  recorder: Recorder,
  doing: Doing,
  actions: readonly Action[],
): Promise<Spelling> {
  const names = new Map<string, string>()
  const literals = []
  for (const action of actions) {
    const by = await recorder.spelling(doing, action)
    if (by === undefined || action.type !== 'enter_text') continue
    names.set(action.id, by)
    literals.push({ literal: action.params.text, by })
  }
  return { names, literals }
}

async function forget(
  { store, clock, newId }: RunnerDeps,
  executionId: string,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  if (names.size === 0) return
  const actor = { kind: 'system', user_id: 'system' } as const
  await store.write((tx) => {
    const now = clock().toISOString()
    forgetTexts({ tx, now, actor, correlation_id: executionId, newId }, executionId, names)
  })
}

/** Results are kept too, and later steps may have read what an earlier one typed. */
function named(result: StepResult, { literals }: Spelling): StepResult {
  if (literals.length === 0) return result
  const data = Object.entries(result.data).map(([key, value]) => [key, spell(value, literals)])
  return { ...result, data: Object.fromEntries(data) as StepResult['data'] }
}

function spell(text: string, literals: Spelling['literals']): string {
  return literals.reduce(
    (said, { literal, by }) =>
      replaceLiteral(replaceLiteral(said, { literal, by }), { literal: escapeXml(literal), by }),
    text,
  )
}

const escapeXml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

const withNames = (envelope: ResultEnvelope, spelling: Spelling): ResultEnvelope => ({
  ...envelope,
  stepResults: envelope.stepResults.map((result) => named(result, spelling)),
})
