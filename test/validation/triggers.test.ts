import { expect, test } from 'vitest'
import type { ValidationStepResult } from '@apprentice/contracts/learn/validation.ts'
import { writeTriggerTests } from '../../src/domain/proposals/draft/trigger-tests.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { draftProposal, type DraftedProposal, getRuns } from './drafts.ts'

/** Tests the draft with these trigger phrases. Returns the trigger tests of the run. */
async function testTriggers(
  daemon: Daemon,
  draft: DraftedProposal,
  edited_fields?: object,
): Promise<ValidationStepResult[]> {
  if (edited_fields !== undefined) await daemon.post(`${draft.url}/revise`, { edited_fields })
  const reply = await daemon.post(`${draft.url}/validate`, { selected_tests: ['trigger'] })
  expect(reply.statusCode, reply.body).toBe(200)
  const { validation_run_id } = reply.json().validation_run
  const { steps } = await getRuns(daemon, draft)
  return steps.filter((step) => step.validation_run_id === validation_run_id && step.test_case_id.startsWith('trigger'))
}

const listFailed = (steps: readonly ValidationStepResult[]): string[] =>
  steps.filter(({ result }) => result === 'failed').map(({ label }) => label)

test('trigger phrases without the words of the goal fail, and those of the draft pass', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  expect(listFailed(await testTriggers(daemon, draft))).toEqual([])

  const failed = listFailed(await testTriggers(daemon, draft, { trigger_phrases: ['do the usual thing'] }))
  expect(failed).toContain('Finds the skill: share a note as pdf')
  expect(failed.some((label) => label.startsWith('Finds the skill by a paraphrase: '))).toBe(true)
  expect(daemon.session(draft.session)?.state).toBe('testing_proposal')
})

test('a trigger phrase that every request contains fails', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const failed = listFailed(await testTriggers(daemon, draft, { trigger_phrases: ['share a note as pdf', 'set'] }))
  expect(failed).toEqual(['Does not find the skill: set an alarm for seven'])
})

test("the requests of the user's other abilities must still find those first, unless the titles are alike", async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, {
    ability_id: 'learned.print-note',
    title: 'Print a note',
    trigger_phrases: ['print a note'],
    negative_triggers: [],
  })
  await addAbility(daemon, {
    ability_id: 'learned.of-ann',
    title: 'Share a note as PDF',
    trigger_phrases: ['share a note as pdf'],
    owner_user_id: 'ann',
    install_lane: 'experimental_private',
    visibility: 'private',
  })
  const draft = await draftProposal(daemon)
  const readNear = (steps: readonly ValidationStepResult[]) =>
    steps.filter(({ test_case_id }) => test_case_id.startsWith('trigger:near'))
  const near = readNear(await testTriggers(daemon, draft))
  expect(near.map(({ label, result }) => [label, result])).toEqual([
    ['Leaves the request "print a note" to Print a note', 'passed'],
  ])

  const taken = await testTriggers(daemon, draft, { trigger_phrases: ['share a note as pdf', 'a note'] })
  expect(readNear(taken)).toMatchObject([{ result: 'passed' }])
  const first = await testTriggers(daemon, draft, { trigger_phrases: ['a note', 'share a note as pdf'] })
  expect(listFailed(first)).toEqual(['Leaves the request "print a note" to Print a note'])
  const content = (await daemon.get(`${draft.url}/files/trigger-tests.json`)).json<{ content: string }>().content
  expect(content).not.toContain('print')
})

test('a skill with the title of another one may be taught', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const title = (await daemon.get(`${draft.url}/detail`)).json<{ proposal: { title: string } }>().proposal.title
  await addAbility(daemon, { ability_id: 'learned.first-one', title, trigger_phrases: [title.toLowerCase()] })
  const steps = await testTriggers(daemon, draft)
  expect(steps.filter(({ test_case_id }) => test_case_id.startsWith('trigger:near'))).toMatchObject([
    { result: 'passed' },
  ])
  expect(listFailed(steps)).toEqual([])
})

test.each([
  ['Set the temperature of a unit', 'change the temperature of a unit'],
  ['Öffne die Liste der Räume', 'offnen die liste der räume'],
  ['Ajouter un article à la liste', 'ajoute un article à la liste'],
])('a paraphrase of %j has another verb of its language', (title, paraphrase) => {
  expect(writeTriggerTests([title], [], { title }).paraphrase).toContain(paraphrase)
})

test('paraphrases come from the goal and the name, and only if the goal itself would match them', () => {
  const { paraphrase } = writeTriggerTests(['x'], [], {
    title: 'Save note',
    goal: 'Save the note in a folder',
    slug: 'save-note-here',
  })
  expect(paraphrase).toContain('save note here')
  expect(paraphrase).toContain('save note folder')
  expect(paraphrase).toContain('note save')
  const short = writeTriggerTests(['set mode'], [], { title: 'Set mode', slug: 'modes' }).paraphrase
  expect(short).not.toContain('change mode')
  expect(short).not.toContain('modes')
})
