import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { getProposalDetail, type ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { setTestPolicy, streamSessionEvents } from '@apprentice/contracts/learn/sessions.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { listValidationRuns, validateProposal } from '@apprentice/contracts/learn/validation.ts'
import { followEvents } from '../terminal/event-stream.ts'
import { ProgressLine } from '../terminal/progress-line.ts'
import type { GivenInputs } from '../abilities/run-inputs.ts'
import type { TeachDialog } from './teach-dialog.ts'

const POLL_MS = 250
/** Enough for a long workflow with steppers; stops one that does not end. */
const MAX_REHEARSAL_ACTIONS = 100

/** Tests a draft without using the phone, and prints the results. */
export async function testDraft(dialog: TeachDialog, proposalId: string): Promise<ProposalDetail> {
  dialog.print('Testing the draft.')
  return runTests(dialog, proposalId, {})
}

/** Runs a draft once on the phone, under a policy that forbids deleting and sending. */
export async function rehearse(dialog: TeachDialog, proposalId: string, inputs: GivenInputs): Promise<ProposalDetail> {
  dialog.print(`Rehearsing on ${dialog.serial}. Nothing is deleted or sent.`)
  await setTestMode(dialog, 'controlled_live_test')
  try {
    return await runTests(dialog, proposalId, { serial: dialog.serial, inputs })
  } finally {
    await setTestMode(dialog, 'dry_run_only')
  }
}

async function setTestMode({ uninterruptible: call, params }: TeachDialog, mode: TestPolicy['mode']): Promise<void> {
  const test_policy = { policy_id: randomUUID(), mode, max_actions: MAX_REHEARSAL_ACTIONS }
  await call(setTestPolicy, { params, body: { test_policy } })
}

async function runTests(
  dialog: TeachDialog,
  proposalId: string,
  how: { readonly serial?: string; readonly inputs?: GivenInputs },
): Promise<ProposalDetail> {
  const { call } = dialog
  const params = { proposalId }
  const body = { ...how, wait_ms: 0 }
  const { validation_run } = await call(validateProposal, { params, body })
  const { validation_run_id: runId } = validation_run
  await printProgress(dialog, runId)
  for (;;) {
    const { runs } = await call(listValidationRuns, { params, query: { page_size: 1 } })
    const [run] = runs
    if (run?.validation_run_id !== runId || run.completed_at !== undefined) break
    await sleep(POLL_MS)
  }
  const detail = await call(getProposalDetail, { params })
  for (const line of formatResults(detail)) dialog.print(line)
  return detail
}

/** Shows each test as it finishes, until the run is complete. */
async function printProgress({ options, params, conversation }: TeachDialog, runId: string): Promise<void> {
  const progress = new ProgressLine()
  try {
    const follow = { params, signal: conversation.signal }
    for await (const { event_kind, payload } of followEvents(options, streamSessionEvents, follow)) {
      if (payload['validation_run_id'] !== runId) continue
      if (event_kind === 'learn.validation.completed') return
      if (event_kind !== 'learn.validation.step_finished') continue
      progress.show(describeSuite(String(payload['test_case_id'])), String(payload['label']))
    }
  } catch {
    // Without events the result is polled afterwards, unless the person pressed Ctrl-C.
    conversation.signal.throwIfAborted()
  } finally {
    progress.clear()
  }
}

/** Describes a test by the prefix of its id. */
function describeSuite(testCaseId: string): string {
  const [suite = ''] = testCaseId.split(':', 1)
  return SUITE_DESCRIPTIONS[suite] ?? 'testing'
}

const SUITE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  lint: 'checking the checkpoints',
  dependency: 'checking the dependencies',
  adapter: 'checking the adapters',
  trigger: 'checking the triggers',
  plan: 'planning the steps',
  checkpoint: 'checking that the checkpoints are reached',
  action: 'running on the phone',
  verify: 'verifying the outcome',
  cleanup: 'cleaning up',
  canary: 'checking the app',
}

function formatResults({ latest_validation }: ProposalDetail): string[] {
  if (latest_validation === undefined) return []
  const { validation_run: run, steps } = latest_validation
  const passed = steps.filter(({ result }) => result === 'passed').length
  const others = steps
    .filter(({ result }) => result !== 'passed')
    .map(({ result, label, details }) => {
      const mark = result === 'failed' ? 'FAIL' : 'skip'
      return `  ${mark} ${label}${details === undefined ? '' : `: ${details}`}`
    })
  const reason = run.reason === undefined ? '' : ` (${run.reason.replaceAll('_', ' ')})`
  return [`Result: ${run.overall_result}${reason}, ${passed} of ${steps.length} tests passed.`, ...others]
}
