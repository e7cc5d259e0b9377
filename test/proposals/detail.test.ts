import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { AbilityRow } from '../../src/store/abilities/abilities.ts'
import { listDraftFiles } from '../../src/store/proposals/draft-files.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { getDetail, draftProposal, putFile, putRecipe } from '../validation/drafts.ts'
import { noteRecipe } from '../validation/recipes.ts'

/** Adds an ability with a title and triggers different from the draft. */
const addOtherAbility = (daemon: Daemon, changes: Partial<AbilityRow>) =>
  addAbility(daemon, {
    ability_id: 'learned.other',
    title: 'Something else',
    trigger_phrases: ['cook dinner'],
    negative_triggers: [],
    ...changes,
  })

test('the proposal detail has hash, files, review notes, recipe and examples of the draft', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const review = { pruned: [{ event_ids: [], reason: 'detour', summary: 'Looked at settings' }] }
  await putFile(daemon, draft, { name: 'review.json', content: JSON.stringify(review) })
  await putRecipe(daemon, draft, { recipe: noteRecipe(), examples: { title: 'Milk' } })

  const detail = await getDetail(daemon, draft)

  expect(ProposalDetail.parse(detail)).toEqual(detail)
  expect(detail).toMatchObject({
    proposal: { proposal_state: 'draft', install_lane: 'pending' },
    checkpoint_lint_report: { passed: true },
    revision: 1,
    review,
    recipe: { recipe_id: 'org.apprentice.notes.write' },
    examples: { title: 'Milk' },
    portability_grade: 'local_only',
    collisions: [],
    allowed_actions: ['revise', 'validate'],
  })
  expect(detail.files.map(({ name }) => name)).toEqual([
    'SKILL.md',
    'graph.json',
    'lint.json',
    'manifest.json',
    'recipe.json',
    'review.json',
    'trigger-tests.json',
  ])
  const files = daemon.system.store.read((reader) => listDraftFiles(reader, draft.proposal))
  const text = files
    .filter(({ name }) => name !== 'lint.json')
    .map(({ name, content }) => `${name}\0${content}\0`)
    .join('')
  expect(detail.draft_hash).toBe(hash('sha256', text, 'hex'))
  for (const { content } of files) expect(content).not.toContain('Milk')
  const missing = await daemon.get(`${draft.url}/files/nothing.md`)
  expect(missing.json()).toMatchObject({ error: { code: 'DRAFT_FILE_NOT_FOUND' } })
})

test('collisions list abilities with the same slug or a matching trigger', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await addOtherAbility(daemon, { ability_id: 'learned.share-a-note-as-pdf', owner_user_id: 'ann' })
  await addOtherAbility(daemon, {
    ability_id: 'learned.sharing',
    title: 'Share a note',
    trigger_phrases: ['share a note as pdf file'],
  })
  await addOtherAbility(daemon, {
    ability_id: 'learned.secret',
    owner_user_id: 'ann',
    install_lane: 'experimental_private',
    title: 'Hers alone',
    trigger_phrases: ['share a note as pdf'],
  })
  await addOtherAbility(daemon, { ability_id: 'learned.unlike' })

  const { collisions } = await getDetail(daemon, draft)

  expect(collisions.map(({ kind, ability_id }) => [kind, ability_id])).toEqual([
    ['slug', 'learned.share-a-note-as-pdf'],
    ['trigger', 'learned.sharing'],
  ])
  expect(collisions[1]?.score).toBeGreaterThanOrEqual(0.3)
})

test('the detail of an improvement has the diff to the installed version', async () => {
  const daemon = await startDaemon()
  const first = await draftProposal(daemon)
  await daemon.post(`${first.url}/validate`)
  const installed = await daemon.post(`${first.url}/install`, {})
  expect(installed.statusCode, installed.body).toBe(200)
  const { ability_id } = installed.json<{ ability_id: string }>()
  const draft = await draftProposal(daemon, {
    goal: 'Share a note as PDF with a cover page',
    create: { entry_mode: 'improving_existing_skill', target_skill_id: ability_id },
  })

  const detail = await getDetail(daemon, draft)

  expect(detail).toMatchObject({
    proposal: { proposed_skill_slug: 'share-a-note-as-pdf' },
    collisions: [],
    improves: { ability_id, version: 1 },
    dependencies: [{ dependency_kind: 'existing_skill', dependency_ref: ability_id }],
  })
  expect(detail.improves?.diffs[0]?.name).toBe('SKILL.md')
  // The goal of an improvement describes what was demonstrated. The words of the skill stay.
  expect(detail.proposal.title).toBe('Share a note as PDF')
  expect(detail.improves?.diffs[0]?.diff).toContain('Note as PDF with a cover page is shared')
  expect(detail.improves?.changes).toMatchObject([
    { path: 'words.title', change: 'kept', text: 'The title: as before' },
    { path: 'words.trigger_phrases', change: 'kept' },
    { path: 'words.negative_triggers', change: 'kept' },
    { path: 'words.goal_summary', change: 'kept' },
    { path: 'words.use_conditions', change: 'kept' },
    { path: 'words.non_use_conditions', change: 'kept' },
    { path: 'words.success_conditions', change: 'changed' },
  ])
  const slug = { edited_fields: { proposed_skill_slug: 'other' } }
  const reply = await daemon.post(`${draft.url}/revise`, slug)
  expect(reply.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'edited_fields.proposed_skill_slug' } },
  })
})

test('deleting the session deletes the demonstrated examples', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe: noteRecipe(), examples: { title: 'Milk' } })
  expect((await getDetail(daemon, draft)).examples).toEqual({ title: 'Milk' })

  await daemon.post(`/api/learn/sessions/${draft.session}/cancel`)
  await daemon.delete(`/api/learn/sessions/${draft.session}`)

  expect((await getDetail(daemon, draft)).examples).toEqual({})
})
