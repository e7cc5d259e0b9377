import { randomUUID } from 'node:crypto'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import { insertEvidence } from '../../src/store/capture/evidence.ts'
import { insertExecutionSteps, type StoredExecutionStep } from '../../src/store/devices/execution-steps.ts'
import { insertExecution } from '../../src/store/devices/executions.ts'
import type { Daemon } from '../kit/daemon.ts'

export interface PastExecution {
  readonly goal?: string
  readonly project_id?: string
  readonly owner?: string
  readonly state?: 'succeeded' | 'failed' | 'cancelled'
  readonly steps?: readonly string[]
  /** Adds an `expect` step at the end. */
  readonly verified?: boolean
  readonly error?: string
  readonly in_the_way?: string
  readonly app?: string
  /** False when no screens are stored. */
  readonly screens?: boolean
  /** False when the touched nodes are not on the stored screens. */
  readonly located?: boolean
  readonly source?: string
  /** Starts the command id. */
  readonly command?: string
}

const LAMP_APP = 'org.example.lamp'

/** Inserts a settled execution with its recorded steps and, by default, screens. */
export async function insertPastExecution(daemon: Daemon, run: PastExecution = {}): Promise<string> {
  daemon.clock.advance(1000)
  const now = daemon.clock.now.toISOString()
  const execution_id = randomUUID()
  const { goal = 'Switch the lamp on', project_id = 'house', owner = 'local' } = run
  const { steps = ['row', 'power', 'save'], verified = true, state = 'succeeded' } = run
  const click = steps.map((target) => ({
    id: target,
    type: 'click' as const,
    params: { matcher: { resourceId: target } },
  }))
  const proof = { id: 'proof', type: 'expect', params: { matcher: { textEquals: 'On' } } }
  const results: StepResult[] = [
    ...steps.map((id) => buildResult(id, 'click')),
    ...(verified ? [buildResult('proof', 'expect')] : []),
    ...(run.error === undefined ? [] : [buildFailure(run.error, run.in_the_way)]),
  ]
  const refs = run.screens === false ? {} : await insertScreens(daemon, execution_id, owner, run.located !== false)
  await daemon.system.store.write((tx) => {
    insertExecution(tx, {
      execution_id,
      owner_user_id: owner,
      command_id: `${run.command ?? ''}${execution_id}`,
      task_id: 't',
      source: run.source ?? 'test',
      serial: 'phone-1',
      goal: goal === '' ? undefined : goal,
      project_id,
      state,
      priority: 0,
      payload: {
        commandId: execution_id,
        taskId: 't',
        source: 'test',
        expectedFormat: 'android-ui-automator',
        timeoutMs: 10_000,
        actions: [...click, ...(verified ? [proof] : [])] as never,
      },
      payload_sha256: '',
      step_results: results,
      queued_at: now,
      started_at: now,
      settled_at: now,
      deadline_at: now,
    })
    const stored = steps.map((target) => ({
      ...buildStep(target, run.app ?? LAMP_APP, now),
      ...refs,
    }))
    insertExecutionSteps(tx, { execution_id, owner_user_id: owner, steps: stored, kept_at: now })
  })
  return execution_id
}

/** Inserts a screen before, with the lamp off, and one after, with the lamp on. */
async function insertScreens(daemon: Daemon, execution_id: string, owner_user_id: string, located: boolean) {
  const insert = async (state: string) => {
    const bytes = Buffer.from(formatScreen(state))
    const evidence_id = randomUUID()
    const sha256 = await daemon.system.evidenceFiles.write(bytes)
    await daemon.system.store.write((tx) =>
      insertEvidence(tx, {
        evidence_id,
        owner_user_id,
        execution_id,
        serial: 'phone-1',
        media_type: 'application/xml',
        sha256,
        bytes: bytes.length,
        created_at: daemon.clock.now.toISOString(),
      }),
    )
    return `evidence:${evidence_id}`
  }
  return { before_ref: await insert('Off'), after_ref: await insert('On'), node_path: located ? '0.1' : '0.9' }
}

const formatScreen = (state: string): string =>
  `<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation="0">${formatNode('root', '', 0, [
    formatNode('state', state, 1),
    formatNode('power', 'Power', 2),
  ])}</hierarchy>`

const formatNode = (id: string, text: string, row: number, inside: readonly string[] = []): string =>
  `<node index="0" text="${text}" resource-id="${LAMP_APP}:id/${id}" class="android.widget.Button" package="${LAMP_APP}" ` +
  `content-desc="" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" ` +
  `focused="false" scrollable="false" long-clickable="false" password="false" selected="false" ` +
  `bounds="[0,${row * 100}][1000,${row === 0 ? 1900 : row * 100 + 100}]">${inside.join('')}</node>`

const buildStep = (target: string, package_: string, created_at: string): StoredExecutionStep => ({
  event_id: randomUUID(),
  action_id: target,
  action_label: `Tap ${target}`,
  target,
  kind: 'tap',
  app: package_,
  caused_state_change: true,
  created_at,
})

const buildResult = (id: string, actionType: string): StepResult => ({
  id,
  actionType,
  success: true,
  outcome: 'succeeded',
  data: {},
})

const buildFailure = (error: string, in_the_way: string | undefined): StepResult => ({
  id: 'last',
  actionType: 'click',
  success: false,
  outcome: 'failed',
  data: { error, ...(in_the_way === undefined ? {} : { in_the_way }) },
})
