import { expect, test } from 'vitest'
import { findDraftProblem } from '../../src/domain/mining/draft-check.ts'
import type { SkillDraft } from '../../src/domain/proposals/draft/skill-draft.ts'
import { listDraftFiles } from '../../src/store/proposals/draft-files.ts'
import { findInterpretation } from '../../src/store/proposals/interpretations.ts'
import { findExamples } from '../../src/store/proposals/proposal-examples.ts'
import { findProposal } from '../../src/store/proposals/proposals.ts'
import { startDaemon } from '../kit/daemon.ts'
import { changeSettings, listClusters, scan } from './climate-phone.ts'
import { insertPastExecution, type PastExecution } from './past-executions.ts'

const NOW = '2026-03-01T12:00:00.000Z'

async function startWithExecutions(run: PastExecution) {
  const daemon = await startDaemon()
  await changeSettings(daemon, { require_user_feedback_before_build_when_ambiguous: false })
  for (let count = 0; count < 3; count += 1) await insertPastExecution(daemon, run)
  return daemon
}

/** A draft that mining made. */
async function mineDraft(): Promise<SkillDraft> {
  const daemon = await startWithExecutions({})
  const { proposals_created } = await scan(daemon)
  const [id = ''] = proposals_created
  return daemon.system.store.read((reader) => {
    const proposal = findProposal(reader, id)
    const interpretation = findInterpretation(reader, proposal?.interpretation_id ?? '')
    if (proposal === undefined || interpretation === undefined) throw new Error('Nothing was mined.')
    const { title, proposed_skill_slug, trigger_phrases, negative_triggers, support_pack_refs } = proposal
    const fields = { title, proposed_skill_slug, trigger_phrases, negative_triggers, support_pack_refs }
    return { ...fields, interpretation, files: listDraftFiles(reader, id), examples: findExamples(reader, id) }
  })
}

const changeFile = (draft: SkillDraft, name: string, change: (content: string) => string): SkillDraft => ({
  ...draft,
  files: draft.files.map((file) => (file.name === name ? { ...file, content: change(file.content) } : file)),
})

test('a draft is offered only if it has a recipe that compiles and passes the linter', async () => {
  const draft = await mineDraft()
  expect(findDraftProblem(draft, NOW)).toBeUndefined()
  const without = { ...draft, files: draft.files.filter(({ name }) => name !== 'recipe.json') }
  expect(findDraftProblem(without, NOW)).toMatch(/^no_recipe: /)
  const broken = changeFile(draft, 'recipe.json', (content) => content.replace('"click"', '"press_hard"'))
  expect(findDraftProblem(broken, NOW)).toMatch(/^does_not_compile: RECIPE_/)
  const cut = changeFile(draft, 'recipe.json', (content) => content.slice(0, -20))
  expect(findDraftProblem(cut, NOW)).toMatch(/^does_not_compile: /)
  const { interpretation } = draft
  const clicks = { ...interpretation, success_conditions: ['Tap the button at 540, 1200.'] }
  expect(findDraftProblem({ ...draft, interpretation: clicks }, NOW)).toMatch(/^lint_failed: CKP-/)
})

test('a workflow whose draft does not compile is dropped with the reason, and nothing of it is offered', async () => {
  const daemon = await startWithExecutions({ located: false })
  const result = await scan(daemon)
  expect(result).toMatchObject({ clusters_seen: 1, proposals_created: [], gate_failures: [] })
  expect(result.build_failures).toEqual([
    { cluster_id: expect.any(String), reason: expect.stringMatching(/^(?:no_recipe|does_not_compile|lint_failed): ./) },
  ])
  expect((await daemon.get('/api/learn/proposals')).json()).toMatchObject({ total: 0 })
  expect((await daemon.get('/api/learn/sessions')).json()).toMatchObject({ total: 0 })
  const [cluster] = await listClusters(daemon)
  expect(cluster).toMatchObject({ build_error: result.build_failures[0]?.reason })
  expect(cluster?.learn_session_id).toBeUndefined()
  expect(await scan(daemon)).toMatchObject({ proposals_created: [], build_failures: [] })
})
