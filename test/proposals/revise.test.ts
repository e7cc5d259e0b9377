import { expect, test } from 'vitest'
import type { ProposalDetail, ProposalRevision } from '@apprentice/contracts/learn/proposal-review.ts'
import { findSessionProposal, moveProposal } from '../../src/domain/proposals/moves.ts'
import { writeAs } from '../../src/domain/command/context.ts'
import { reviseProposal } from '../../src/domain/review/revise.ts'
import { compileDraft } from '../../src/domain/proposals/draft/skill-draft.ts'
import { findLearnSession } from '../../src/store/sessions/learn-sessions.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { getDetail, draftProposal, readProposal, putRecipe } from '../validation/drafts.ts'
import { noteRecipe } from '../validation/recipes.ts'

const ORIGIN = { actor: { kind: 'user', user_id: 'local' }, correlation_id: 'c' } as const

const readRevisions = async (daemon: Daemon, url: string, query = '') =>
  (await daemon.get(`${url}/revisions${query}`)).json<{
    revisions: ProposalRevision[]
    total: number
  }>()

test('edits of a reviewer are in the next draft and in all later drafts', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const before = await getDetail(daemon, draft)
  const edited_fields = {
    title: 'Share notes',
    proposed_skill_slug: 'share-notes',
    trigger_phrases: ['share my note', 'export note'],
    negative_triggers: ['delete note'],
    goal_summary: 'A note leaves as a PDF file',
    use_conditions: ['A note is to be shared'],
    non_use_conditions: ['The note is locked'],
    project_scope: 'project_scoped',
    preferred_control_surfaces: ['raw_ui'],
    success_conditions: ['The PDF file is in the list'],
    checkpoints: [
      {
        checkpoint_id: 'menu',
        goal: 'The share menu is reached',
        success_condition: 'The share menu is open',
        order_hint: 0,
      },
    ],
    support_pack_refs: ['packs/pdf'],
  }

  const reply = await daemon.post(`${draft.url}/revise`, {
    revision_instructions: 'Call it differently',
    edited_fields,
  })

  expect(reply.statusCode, reply.body).toBe(200)
  const detail = reply.json<ProposalDetail>()
  const { title, proposed_skill_slug, trigger_phrases, negative_triggers, support_pack_refs } = edited_fields
  const fields = { title, proposed_skill_slug, trigger_phrases, negative_triggers }
  expect(detail.proposal).toMatchObject({ ...fields, support_pack_refs, proposal_state: 'draft' })
  const { proposed_skill_slug: _s, trigger_phrases: _t, negative_triggers: _n, ...rest } = edited_fields
  const { support_pack_refs: _p, ...interpretation } = rest
  expect(detail.interpretation).toMatchObject({ ...interpretation, user_confirmed: true })
  expect(detail.dependencies).toMatchObject([
    { dependency_kind: 'support_pack', dependency_ref: 'packs/pdf', required: true },
  ])
  expect([before.revision, detail.revision]).toEqual([1, 2])
  expect(detail.draft_hash).not.toBe(before.draft_hash)
  const skill = await daemon.get(`${draft.url}/files/SKILL.md`)
  const { content, sha256, bytes } = skill.json()
  expect(content).toContain('name: "share-notes"')
  expect(content).toContain('The share menu is open')
  expect(content).not.toContain('The PDF file is listed')
  expect(detail.files).toContainEqual({ name: 'SKILL.md', sha256, bytes })

  await daemon.post(`${draft.url}/revise`, { edited_fields: { title: 'Share my notes' } })
  const after = await getDetail(daemon, draft)
  expect(after.proposal).toMatchObject({ ...fields, title: 'Share my notes' })
  expect(after.interpretation?.checkpoints).toEqual(edited_fields.checkpoints)
})

test('every draft stays in the history with author, instructions and diff', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await daemon.post(`${draft.url}/revise`, {
    revision_instructions: 'Shorter, please',
    edited_fields: { title: 'Share a note as PDF' },
  })
  daemon.clock.advance(60_000)
  await daemon.post(`${draft.url}/revise`, { edited_fields: { goal_summary: 'A PDF is made' } })

  const { revisions, total } = await readRevisions(daemon, draft.url)

  expect(total).toBe(3)
  const [third, second, first] = revisions
  expect(revisions.map(({ revision }) => revision)).toEqual([3, 2, 1])
  expect(first).toMatchObject({ revision_instructions: '', edited_fields: {}, diffs: [] })
  expect(second).toMatchObject({
    revision_instructions: 'Shorter, please',
    author_user_id: 'local',
    author_kind: 'user',
  })
  expect(second?.draft_hash, 'equal sources give equal drafts').toBe(first?.draft_hash)
  expect(second?.diffs.every(({ diff }) => diff === '')).toBe(true)
  expect(third).toMatchObject({
    edited_fields: { goal_summary: 'A PDF is made' },
    created_at: daemon.clock.now.toISOString(),
    draft_hash: (await getDetail(daemon, draft)).draft_hash,
  })
  const [skill] = third?.diffs ?? []
  expect(skill?.name).toBe('SKILL.md')
  expect(skill?.diff).toMatch(/^@@ -\d+,\d+ \+\d+,\d+ @@$/m)
  expect(skill?.diff).toContain('+A PDF is made')
  expect(skill?.diff).toContain('-Share a note as PDF')
  const paged = await readRevisions(daemon, draft.url, '?page=1&page_size=1')
  expect(paged).toMatchObject({ total: 3, revisions: [{ revision: 3, diffs: third?.diffs }] })
  const receipts = await daemon.get(
    `/api/learn/receipts?proposal_id=${draft.proposal}&receipt_kind=learn.proposal.revised`,
  )
  expect(receipts.json()).toMatchObject({
    total: 2,
    receipts: [{}, { details: { revision_instructions: 'Shorter, please' } }],
  })
})

test('an invalid revision names the field and changes nothing', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe: noteRecipe() })
  const before = readProposal(daemon, draft.proposal)
  const history = await readRevisions(daemon, draft.url)
  const refused = async (body: object) => {
    const reply = await daemon.post(`${draft.url}/revise`, body)
    expect(reply.statusCode, reply.body).toBe(400)
    return reply.json<{ error: { code: string; message: string } }>().error.message
  }

  expect(await refused({})).toContain('edited_fields')
  expect(await refused({ revision_instructions: '  ' })).toContain('edited_fields')
  expect(await refused({ edited_fields: { colour: 'red' } })).toContain('colour')
  expect(await refused({ edited_fields: { recipe: {} } })).toContain('cannot be edited')
  expect(await refused({ edited_fields: { proposed_skill_slug: '../up' } })).toContain('slug')
  expect(await refused({ edited_fields: { trigger_phrases: [] } })).toContain('trigger_phrases')
  const rename = (name: string, rename_to: string) => ({ inputs: [{ name, rename_to }] })
  expect(await refused({ edited_fields: rename('nothing', 'x') })).toContain('nothing')
  expect(readProposal(daemon, draft.proposal)).toEqual(before)
  expect(await readRevisions(daemon, draft.url)).toEqual(history)
})

test('revising a draft that is ready for review moves it back to drafting', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await daemon.post(`${draft.url}/validate`)
  expect(daemon.session(draft.session)?.state).toBe('ready_for_review')

  await daemon.post(`${draft.url}/revise`, { edited_fields: { title: 'Another name' } })

  expect(daemon.session(draft.session)?.state).toBe('drafting_proposal')
  expect(readProposal(daemon, draft.proposal).proposal_state).toBe('draft')
  const { allowed_actions } = await getDetail(daemon, draft)
  expect(allowed_actions).toEqual(['revise', 'validate'])
  const transitions = daemon
    .events()
    .filter(({ kind }) => kind === 'learn.session.state_changed')
    .map(({ payload }) => `${String(payload['from'])}>${String(payload['to'])}`)
  expect(transitions.at(-1)).toBe('ready_for_review>drafting_proposal')
})

test('a quarantined draft can be revised only while no other session is active', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await daemon.post(`${draft.url}/validate`)
  await writeAs(daemon.system, ORIGIN, (ctx) => {
    const proposal = findSessionProposal(ctx.tx, { proposal_id: draft.proposal })
    if (proposal === undefined) throw new Error('no proposal')
    moveProposal(ctx, proposal, ['installing_private', 'quarantined'])
  })
  const other = await daemon.aSessionIn('capturing')
  const body = { edited_fields: { title: 'Another name' } }

  const taken = await daemon.post(`${draft.url}/revise`, body)
  expect(taken.json()).toMatchObject({
    error: { code: 'LEARN_SESSION_ALREADY_ACTIVE' },
    active_session_id: other,
  })
  await daemon.post(`/api/learn/sessions/${other}/cancel`)
  const revised = await daemon.post(`${draft.url}/revise`, body)

  expect(revised.statusCode, revised.body).toBe(200)
  expect(daemon.session(draft.session)?.state).toBe('drafting_proposal')
})

test('words that change nothing are refused with what can be edited, and change nothing', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const before = daemon.events().length
  const reply = await daemon.post(`${draft.url}/revise`, { revision_instructions: 'Make it nicer, please' })
  expect(reply.statusCode).toBe(422)
  expect(reply.json()).toMatchObject({
    error: {
      code: 'REVISION_NOT_UNDERSTOOD',
      details: { not_understood: 'Make it nicer, please', understood: expect.arrayContaining(['title', 'inputs']) },
    },
  })
  expect(daemon.events()).toHaveLength(before)
  expect((await readRevisions(daemon, draft.url)).total).toBe(1)
  const edited = { revision_instructions: 'Make it nicer', edited_fields: { title: 'Nicer' } }
  expect((await daemon.post(`${draft.url}/revise`, edited)).statusCode).toBe(200)
})

test('a rejected proposal cannot be revised', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await daemon.post(`${draft.url}/validate`)
  await daemon.post(`${draft.url}/reject`, { reason: 'Not now' })
  const reply = await daemon.post(`${draft.url}/revise`, { revision_instructions: 'again' })
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
})

test('revising fails with INSUFFICIENT_TRACES after the observations were deleted', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await daemon.system.store.write((tx) => {
    tx.db.prepare('DELETE FROM observations').run()
  })
  const reply = await daemon.post(`${draft.url}/revise`, { revision_instructions: 'again' })
  expect(reply.json()).toMatchObject({ error: { code: 'INSUFFICIENT_TRACES' } })
})

test('a failed revision leaves the earlier draft unchanged', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const before = await getDetail(daemon, draft)
  const failing = writeAs(daemon.system, ORIGIN, (ctx) => {
    const compile = (source: Parameters<typeof compileDraft>[0]) => {
      if (source.edits?.title === 'Break') throw new Error('no draft')
      return compileDraft(source)
    }
    const sent = { revision_instructions: '', edited_fields: { title: 'Break' } }
    reviseProposal(ctx, draft.proposal, sent, { rule: 'settled', compile })
  })
  await expect(failing).rejects.toThrow('no draft')
  expect(await getDetail(daemon, draft)).toEqual(before)
})

test('rejecting requires a reason and a draft that is ready for review', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  const early = await daemon.post(`${draft.url}/reject`, { reason: 'No' })
  expect(early.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
  await daemon.post(`${draft.url}/validate`)
  for (const body of [{}, { reason: ' ' }, { reason: 'No', why: 'because' }]) {
    expect((await daemon.post(`${draft.url}/reject`, body)).statusCode).toBe(400)
  }

  const reply = await daemon.post(`${draft.url}/reject`, { reason: 'We have one already' })

  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({
    proposal: { proposal_state: 'rejected', install_lane: 'pending' },
    allowed_actions: [],
  })
  const session = daemon.system.store.read((reader) => findLearnSession(reader, draft.session))
  expect(session).toMatchObject({ state: 'rejected' })
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=learn.proposal.rejected')
  expect(receipts.json()).toMatchObject({
    receipts: [{ reason: 'We have one already', from_state: 'ready_for_review' }],
  })
})
