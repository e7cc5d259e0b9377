import { expect, test } from 'vitest'
import { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { DraftSource } from '../../src/domain/proposals/draft/draft-source.ts'
import { compileDraft, type SkillDraft } from '../../src/domain/proposals/draft/skill-draft.ts'
import { lintCheckpoints } from '../../src/knowledge/checkpoint-lint/checkpoint-lint.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { button, open, tap, tapDescribed, tapId, times, type } from '../bench/learning-actions.ts'
import type { LabAction } from '../bench/learning-lab.ts'
import { makeDraftSource, type SourceParts, step } from '../proposals/draft-source.ts'
import { climate, notes, portal, useLab } from './lab.ts'

const lab = useLab()

const setReception = [open(climate), tap('Reception'), ...times(3, tapDescribed('Warmer')), tap('Save'), button(1)]

async function draftFrom(
  actions: readonly LabAction[],
  parts: SourceParts = {},
  more: Partial<DraftSource> = {},
): Promise<SkillDraft & { source: DraftSource }> {
  const { trace } = await lab().demonstrate(actions)
  const steps = trace.steps.map(({ action_label }) => step(action_label.replaceAll('"', '')))
  const demonstration = { steps, ...parts.demonstration }
  const source = { ...makeDraftSource({ ...parts, demonstration }), runs: [trace], ...more }
  return { ...compileDraft(source), source }
}

const readFile = ({ files }: SkillDraft, name: string): string =>
  files.find((file) => file.name === name)?.content ?? expect.fail(`no ${name}`)
const parseJson = (draft: SkillDraft, name: string): Record<string, unknown> =>
  JSON.parse(readFile(draft, name)) as Record<string, unknown>
const parseRecipe = (draft: SkillDraft) => Recipe.parse(parseJson(draft, 'recipe.json'))

test('a demonstration on a phone gives a draft with a valid recipe and a review', async () => {
  const draft = await draftFrom(setReception, {
    demonstration: { goal: "Set a unit's temperature" },
  })
  expect(draft.files.map(({ name }) => name)).toEqual([
    'SKILL.md',
    'manifest.json',
    'graph.json',
    'trigger-tests.json',
    'recipe.json',
    'review.json',
  ])
  const recipe = parseRecipe(draft)
  expect(validateRecipe(recipe)).toEqual([])
  expect(recipe).toMatchObject({
    recipe_id: `${climate}.set-a-unit-s-temperature`,
    summary: "Set a unit's temperature",
    recipe_type: 'action',
    recipe_dialect: 2,
    session_policy: 'fresh',
    app_build: { version_name: 'unknown', version_code: 0 },
  })
  const { checkpoints, success_conditions } = draft.interpretation
  expect(recipe.checkpoints?.map(({ checkpoint_id }) => checkpoint_id)).toEqual(
    checkpoints.map(({ checkpoint_id }) => checkpoint_id),
  )
  expect(success_conditions).toContain('The given unit shows the given temperature')
  expect(parseJson(draft, 'review.json')).toMatchObject({
    summary: "Set a unit's temperature",
    repeatable: true,
    portability_grade: 'local_only',
    inputs: [{ name: 'unit' }, { name: 'temperature' }],
    doubts: [],
  })
})

test('the checkpoints pass the linter, and the document lists the inputs', async () => {
  const draft = await draftFrom(setReception, {
    demonstration: { goal: "Set a unit's temperature" },
  })
  const document = readFile(draft, 'SKILL.md')
  const { nodes } = parseJson(draft, 'graph.json') as { nodes: { node_id: string }[] }
  const report = lintCheckpoints(
    {
      proposal_id: 'p',
      interpretation: draft.interpretation,
      document,
      graph: { node_ids: nodes.map(({ node_id }) => node_id) },
    },
    '2026-03-01T12:00:00.000Z',
  )
  expect(report.findings).toEqual([])
  expect(document).toContain('## Inputs')
  expect(document).toContain('- **unit** (string, required) Which unit, by its name in the list.')
  expect(document).not.toMatch(/:id\/|resource_id|\[\d+,\d+\]/)
})

test('no file contains a value of the demonstration, even if marks and goal do', async () => {
  const marks = [
    { label: 'Open Reception', kind: 'action' as const, after_event_id: 'trace-1-event-2' },
    { label: 'Reception must be at 24 now', kind: 'verification' as const },
    { label: 'Not when Reception is closed', kind: 'guard' as const },
  ]
  const draft = await draftFrom(setReception, {
    demonstration: { goal: 'Set Reception to 24 degrees', marks },
  })
  expect(draft.examples).toEqual({ unit: 'Reception', temperature: '24' })
  expect(draft.title).toBe('Set the given unit to the given temperature degrees')
  const written = JSON.stringify([draft.files, draft.interpretation, draft.trigger_phrases])
  expect(written).not.toContain('Reception')
  expect(written).not.toMatch(/\b24\b/)
  expect(readFile(draft, 'SKILL.md')).toContain('Not when the given unit is closed')
})

test('no file contains typed texts, passwords or other list entries', async () => {
  const id = (name: string) => `${portal}:id/${name}`
  const signIn = await draftFrom([
    open(portal),
    type(id('user'), 'ada'),
    type(id('password'), 'engine'),
    tapId(id('sign_in')),
  ])
  expect(signIn.examples).toEqual({ user: 'ada' })
  expect(JSON.stringify(signIn.files)).not.toMatch(/\bada\b|engine|Lovelace|invoice/)
  const removal = await draftFrom([open(notes), tap('Meeting'), tap('Delete'), button(1)])
  expect(JSON.stringify(removal.files)).not.toMatch(/Meeting|Groceries|Birthday|Milk|Monday/)
})

test('the same source gives the same files', async () => {
  const draft = await draftFrom(setReception, {
    demonstration: { goal: "Set a unit's temperature" },
  })
  expect(compileDraft(draft.source).files).toEqual(draft.files)
})

test('a reviewer can restore dropped events and rename an input', async () => {
  const [first, ...rest] = setReception
  const actions = [
    ...(first === undefined ? [] : [first]),
    tap('Lobby'),
    { action: { type: 'press_key', params: { key: 'back' } } },
    ...rest,
  ]
  const plain = await draftFrom(actions)
  expect(parseRecipe(plain).steps.filter(({ type: kind }) => kind === 'press_key')).toHaveLength(0)
  const restored = await draftFrom(
    actions,
    {},
    {
      keep_event_ids: ['trace-1-event-2', 'trace-1-event-3'],
    },
  )
  expect(parseRecipe(restored).steps.filter(({ type: kind }) => kind === 'press_key')).toHaveLength(1)
  const renamed = await draftFrom(
    actions,
    {},
    {
      edits: { inputs: { unit: { name: 'room', summary: 'The room to heat' } } },
    },
  )
  expect(parseRecipe(renamed).inputs[0]).toMatchObject({
    name: 'room',
    summary: 'The room to heat',
  })
  expect(renamed.examples).toMatchObject({ room: 'Reception' })
  expect(readFile(renamed, 'recipe.json')).not.toContain('inputs.unit')
  expect(validateRecipe(parseRecipe(renamed))).toEqual([])
})

test('an improved skill keeps its recipe id, and the review lists the differences', async () => {
  const before = parseRecipe(await draftFrom(setReception, { demonstration: { goal: "Set a unit's temperature" } }))
  const better = await draftFrom(
    [open(climate), tap('Lobby'), tapDescribed('Warmer'), tap('Heat'), tap('Save'), button(1)],
    { session: { target_kind: 'existing_skill', target_skill_id: 'learned.set-temperature' } },
    { target_recipe: before },
  )
  expect(parseRecipe(better)).toMatchObject({
    recipe_id: before.recipe_id,
    recipe_version: '1.1.0',
  })
  expect(parseJson(better, 'review.json')['diff']).toEqual({
    summary: ['The input mode is new', 'The step select mode is new', 'The check shows mode is new'],
    changes: [
      { path: 'inputs.mode', change: 'added' },
      { path: 'steps.select_mode', change: 'added' },
      { path: 'verification.shows_mode', change: 'added' },
    ],
  })
})

test('the document states coaching as conditions and hints', async () => {
  const draft = await draftFrom(
    setReception,
    {},
    {
      coaching: { constraints: ['Never above 26 degrees'], hints: ['Reception is the usual one'] },
    },
  )
  const document = readFile(draft, 'SKILL.md')
  expect(document).toContain(
    '## Conditions\n\n- Never above 26 degrees\n\n## Hints\n\n- the given unit is the usual one\n',
  )
})

test('a draft without traces is the same as one with an empty list of traces', () => {
  const source = makeDraftSource({ demonstration: { steps: [step('Open the export dialog')] } })
  const without = compileDraft(source)
  expect(compileDraft({ ...source, runs: [] })).toEqual(without)
  expect(without.files.map(({ name }) => name)).not.toContain('recipe.json')
  expect(without).not.toHaveProperty('examples')
})
