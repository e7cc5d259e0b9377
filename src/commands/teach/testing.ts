import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  getProposalDetail,
  type ProposalDetail,
} from '@apprentice/contracts/learn/proposal-review.ts'
import { setTestPolicy, streamSessionEvents } from '@apprentice/contracts/learn/sessions.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { listValidationRuns, validateProposal } from '@apprentice/contracts/learn/validation.ts'
import { followEvents } from '../terminal/event-stream.ts'
import { ProgressLine } from '../terminal/progress-line.ts'
import type { GivenInputs } from '../abilities/run-inputs.ts'
import type { Lesson } from './lesson.ts'

const pollMs = 250
/** Room for a long workflow with steppers, and an end to one that runs away. */
const rehearsedActions = 100

/** Tests a draft without touching the phone, and tells what came of it. */
export async function testDraft(lesson: Lesson, proposalId: string): Promise<ProposalDetail> {
  lesson.say('Testing the draft.')
  return runTests(lesson, proposalId, {})
}

/** Does it once on the phone, under a policy that lets nothing be deleted and nothing be sent. */
export async function rehearse(
  lesson: Lesson,
  proposalId: string,
  inputs: GivenInputs,
): Promise<ProposalDetail> {
  lesson.say(`Rehearsing on ${lesson.serial}; nothing is deleted there and nothing is sent.`)
  await letBeDone(lesson, 'controlled_live_test')
  try {
    return await runTests(lesson, proposalId, { serial: lesson.serial, inputs })
  } finally {
    await letBeDone(lesson, 'dry_run_only')
  }
}

/** Later tests are plans again, unless another rehearsal is asked for. */
async function letBeDone(
  { uninterruptible: call, params }: Lesson,
  mode: TestPolicy['mode'],
): Promise<void> {
  const test_policy = { policy_id: randomUUID(), mode, max_actions: rehearsedActions }
  await call(setTestPolicy, { params, body: { test_policy } })
}

async function runTests(
  lesson: Lesson,
  proposalId: string,
  how: { readonly serial?: string; readonly inputs?: GivenInputs },
): Promise<ProposalDetail> {
  const { call } = lesson
  const params = { proposalId }
  const body = { ...how, wait_ms: 0 }
  const { validation_run } = await call(validateProposal, { params, body })
  const { validation_run_id: runId } = validation_run
  await tellTests(lesson, runId)
  for (;;) {
    const { runs } = await call(listValidationRuns, { params, query: { page_size: 1 } })
    const [run] = runs
    if (run?.validation_run_id !== runId || run.completed_at !== undefined) break
    await sleep(pollMs)
  }
  const detail = await call(getProposalDetail, { params })
  for (const line of resultLines(detail)) lesson.say(line)
  return detail
}

/** Each test as it ends, until all have. */
async function tellTests({ options, params, talk }: Lesson, runId: string): Promise<void> {
  const progress = new ProgressLine()
  try {
    const following = { params, signal: talk.signal }
    for await (const { event_kind, payload } of followEvents(
      options,
      streamSessionEvents,
      following,
    )) {
      if (payload['validation_run_id'] !== runId) continue
      if (event_kind === 'learn.validation.completed') return
      if (event_kind !== 'learn.validation.step_finished') continue
      progress.show(suiteWords(String(payload['test_case_id'])), String(payload['label']))
    }
  } catch {
    // Without events how it ended can still be asked, unless the person left.
    talk.signal.throwIfAborted()
  } finally {
    progress.clear()
  }
}

/** What a test is about, by what its id begins with. */
function suiteWords(testCaseId: string): string {
  const [suite = ''] = testCaseId.split(':', 1)
  return suites[suite] ?? 'testing'
}

const suites: Readonly<Record<string, string>> = {
  lint: 'checking the states on the way',
  dependency: 'checking what it depends on',
  adapter: 'checking what it works through',
  trigger: 'checking how it is found',
  plan: 'planning its steps',
  checkpoint: 'checking that its states are reached',
  action: 'doing it on the phone',
  verify: 'reading the outcome from the phone',
  cleanup: 'tidying up',
  canary: 'looking at the app',
}

function resultLines({ latest_validation }: ProposalDetail): string[] {
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
  return [
    `Tests ${run.overall_result}${reason}: ${passed} of ${steps.length} went well.`,
    ...others,
  ]
}
