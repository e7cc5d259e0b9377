import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type {
  ProposalDetail,
  ProposalRevision,
} from '@apprentice/contracts/learn/proposal-review.ts'
import { findSessionProposal, moveProposal } from '../../src/domain/proposals/moves.ts'
import { reviseProposal } from '../../src/domain/review/revise.ts'
import { compileDraft } from '../../src/domain/proposals/skill-draft.ts'
import { findLearnSession } from '../../src/store/sessions/learn-sessions.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { detailOf, drafted, stored, withRecipe } from '../validation/drafted.ts'
import { noteRecipe } from '../validation/recipes.ts'

const revisionsOf = async (daemon: Daemon, url: string, query = '') =>
  (await daemon.get(`${url}/revisions${query}`)).json<{
    revisions: ProposalRevision[]
    total: number
  }>()

test('what a reviewer changes by hand is in the next draft, and in every one after it', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  const before = await detailOf(daemon, draft)
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
  const { title, proposed_skill_slug, trigger_phrases, negative_triggers, support_pack_refs } =
    edited_fields
  const words = { title, proposed_skill_slug, trigger_phrases, negative_triggers }
  expect(detail.proposal).toMatchObject({ ...words, support_pack_refs, proposal_state: 'draft' })
  const {
    proposed_skill_slug: _s,
    trigger_phrases: _t,
    negative_triggers: _n,
    ...meaning
  } = edited_fields
  const { support_pack_refs: _p, ...said } = meaning
  expect(detail.interpretation).toMatchObject({ ...said, user_confirmed: true })
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
  const after = await detailOf(daemon, draft)
  expect(after.proposal).toMatchObject({ ...words, title: 'Share my notes' })
  expect(after.interpretation?.checkpoints).toEqual(edited_fields.checkpoints)
})

test('every draft stays in the history with who made it, why, and what it changed', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await daemon.post(`${draft.url}/revise`, { revision_instructions: 'Shorter, please' })
  daemon.clock.advance(60_000)
  await daemon.post(`${draft.url}/revise`, { edited_fields: { goal_summary: 'A PDF is made' } })

  const { revisions, total } = await revisionsOf(daemon, draft.url)

  expect(total).toBe(3)
  const [third, second, first] = revisions
  expect(revisions.map(({ revision }) => revision)).toEqual([3, 2, 1])
  expect(first).toMatchObject({ revision_instructions: '', edited_fields: {}, diffs: [] })
  expect(second).toMatchObject({
    revision_instructions: 'Shorter, please',
    edited_fields: {},
    author_user_id: 'local',
    author_kind: 'user',
  })
  expect(second?.draft_hash, 'the same things make the same draft').toBe(first?.draft_hash)
  expect(second?.diffs.every(({ diff }) => diff === '')).toBe(true)
  expect(third).toMatchObject({
    edited_fields: { goal_summary: 'A PDF is made' },
    created_at: daemon.clock.now.toISOString(),
    draft_hash: (await detailOf(daemon, draft)).draft_hash,
  })
  const [skill] = third?.diffs ?? []
  expect(skill?.name).toBe('SKILL.md')
  expect(skill?.diff).toMatch(/^@@ -\d+,\d+ \+\d+,\d+ @@$/m)
  expect(skill?.diff).toContain('+A PDF is made')
  expect(skill?.diff).toContain('-Share a note as PDF')
  const paged = await revisionsOf(daemon, draft.url, '?page=1&page_size=1')
  expect(paged).toMatchObject({ total: 3, revisions: [{ revision: 3, diffs: third?.diffs }] })
  const receipts = await daemon.get(
    `/api/learn/receipts?proposal_id=${draft.proposal}&receipt_kind=learn.proposal.revised`,
  )
  expect(receipts.json()).toMatchObject({
    total: 2,
    receipts: [{}, { details: { revision_instructions: 'Shorter, please' } }],
  })
})

test('a revision says what it cannot do, and then changes nothing', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await withRecipe(daemon, draft, { recipe: noteRecipe() })
  const before = stored(daemon, draft.proposal)
  const refused = async (body: object) => {
    const reply = await daemon.post(`${draft.url}/revise`, body)
    expect(reply.statusCode, reply.body).toBe(400)
    return reply.json<{ error: { code: string; message: string } }>().error.message
  }

  expect(await refused({})).toContain('edited_fields')
  expect(await refused({ revision_instructions: '  ' })).toContain('edited_fields')
  expect(await refused({ edited_fields: { colour: 'red' } })).toContain('colour')
  expect(await refused({ edited_fields: { recipe: {} } })).toContain('not edited by hand')
  expect(await refused({ edited_fields: { proposed_skill_slug: '../up' } })).toContain('slug')
  expect(await refused({ edited_fields: { trigger_phrases: [] } })).toContain('trigger_phrases')
  const rename = (name: string, rename_to: string) => ({ inputs: [{ name, rename_to }] })
  expect(await refused({ edited_fields: rename('nothing', 'x') })).toContain('nothing')
  expect(stored(daemon, draft.proposal)).toEqual(before)
})

test('a draft under review goes back to be worked on, and has to be tested again', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await daemon.post(`${draft.url}/validate`)
  expect(daemon.session(draft.session)?.state).toBe('ready_for_review')

  await daemon.post(`${draft.url}/revise`, { edited_fields: { title: 'Another name' } })

  expect(daemon.session(draft.session)?.state).toBe('drafting_proposal')
  expect(stored(daemon, draft.proposal).proposal_state).toBe('draft')
  const hops = daemon
    .events()
    .filter(({ kind }) => kind === 'learn.session.state_changed')
    .map(({ payload }) => `${String(payload['from'])}>${String(payload['to'])}`)
  expect(hops.at(-1)).toBe('ready_for_review>drafting_proposal')
})

test('a quarantined draft is revised only while no other session is under way', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await daemon.post(`${draft.url}/validate`)
  await daemon.system.store.write((tx) => {
    const ctx = {
      tx,
      now: daemon.clock.now.toISOString(),
      actor: { kind: 'user', user_id: 'local' } as const,
      correlation_id: 'c',
      newId: randomUUID,
    }
    const proposal = findSessionProposal(tx, { proposal_id: draft.proposal })
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

test('what is decided or not yet drafted is not revised', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await daemon.post(`${draft.url}/validate`)
  await daemon.post(`${draft.url}/reject`, { reason: 'Not now' })
  const reply = await daemon.post(`${draft.url}/revise`, { revision_instructions: 'again' })
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
})

test('nothing is left to draft from once the capture was forgotten', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await daemon.system.store.write((tx) => {
    tx.db.prepare('DELETE FROM observations').run()
  })
  const reply = await daemon.post(`${draft.url}/revise`, { revision_instructions: 'again' })
  expect(reply.json()).toMatchObject({ error: { code: 'INSUFFICIENT_TRACES' } })
})

test('a draft that cannot be made leaves the one before as it was', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  const before = await detailOf(daemon, draft)
  const failing = daemon.system.store.write((tx) => {
    const ctx = {
      tx,
      now: daemon.clock.now.toISOString(),
      actor: { kind: 'user', user_id: 'local' } as const,
      correlation_id: 'c',
      newId: randomUUID,
    }
    const compile = (source: Parameters<typeof compileDraft>[0]) => {
      if (source.edits?.title === 'Break') throw new Error('no draft')
      return compileDraft(source)
    }
    const sent = { revision_instructions: '', edited_fields: { title: 'Break' } }
    reviseProposal(ctx, draft.proposal, sent, { rule: 'settled', compile })
  })
  await expect(failing).rejects.toThrow('no draft')
  expect(await detailOf(daemon, draft)).toEqual(before)
})

test('rejecting needs a reason and a draft that is under review', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
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
