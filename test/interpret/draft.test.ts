import { expect, test } from 'vitest'
import { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { DraftSource } from '../../src/domain/proposals/draft-source.ts'
import { compileDraft, type SkillDraft } from '../../src/domain/proposals/skill-draft.ts'
import { lintCheckpoints } from '../../src/knowledge/checkpoint-lint/checkpoint-lint.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { button, open, tap, tapDescribed, tapId, times, type } from '../bench/learning-doings.ts'
import type { Doing } from '../bench/learning-lab.ts'
import { draftSource, type SourceParts, step } from '../learn/draft-source.ts'
import { climate, notes, portal, useLab } from './lab.ts'

const lab = useLab()

const setReception = [
  open(climate),
  tap('Reception'),
  ...times(3, tapDescribed('Warmer')),
  tap('Save'),
  button(1),
]

async function drafted(
  doings: readonly Doing[],
  parts: SourceParts = {},
  more: Partial<DraftSource> = {},
): Promise<SkillDraft & { source: DraftSource }> {
  const { run } = await lab().show(doings)
  const steps = run.steps.map(({ action_label }) => step(action_label.replaceAll('"', '')))
  const { shown } = parts
  const source = draftSource({ ...parts, shown: { steps, ...shown } })
  const whole = { ...source, runs: [run], ...more }
  return { ...compileDraft(whole), source: whole }
}

const fileOf = ({ files }: SkillDraft, name: string): string =>
  files.find((file) => file.name === name)?.content ?? expect.fail(`no ${name}`)
const jsonOf = (draft: SkillDraft, name: string): Record<string, unknown> =>
  JSON.parse(fileOf(draft, name)) as Record<string, unknown>
const recipeIn = (draft: SkillDraft) => Recipe.parse(jsonOf(draft, 'recipe.json'))

test('a draft of a demonstration on a phone has a recipe and a review, and both are sound', async () => {
  const draft = await drafted(setReception, { shown: { goal: "Set a unit's temperature" } })
  expect(draft.files.map(({ name }) => name)).toEqual([
    'SKILL.md',
    'manifest.json',
    'graph.json',
    'trigger-tests.json',
    'recipe.json',
    'review.json',
  ])
  const recipe = recipeIn(draft)
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
  expect(success_conditions).toContain(
    'The unit temperature of the given unit is the given temperature',
  )
  expect(jsonOf(draft, 'review.json')).toMatchObject({
    summary: "Set a unit's temperature",
    repeatable: true,
    portability_grade: 'local_only',
    inputs: [{ name: 'unit' }, { name: 'temperature' }],
    doubts: [],
  })
})

test('the checkpoints pass the linter, and the document names its inputs', async () => {
  const draft = await drafted(setReception, { shown: { goal: "Set a unit's temperature" } })
  const document = fileOf(draft, 'SKILL.md')
  const { nodes } = jsonOf(draft, 'graph.json') as { nodes: { node_id: string }[] }
  const report = lintCheckpoints(
    {
      proposal_id: 'p',
      meaning: draft.interpretation,
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

test('no value that was shown is in any file, whatever the person said about it', async () => {
  const marks = [
    { label: 'Open Reception', kind: 'action' as const, after_event_id: 'trace-1-event-2' },
    { label: 'Reception must be at 24 now', kind: 'verification' as const },
    { label: 'Not when Reception is closed', kind: 'guard' as const },
  ]
  const draft = await drafted(setReception, {
    shown: { goal: 'Set Reception to 24 degrees', marks },
  })
  expect(draft.examples).toEqual({ unit: 'Reception', temperature: '24' })
  expect(draft.title).toBe('Set the given unit to the given temperature degrees')
  const written = JSON.stringify([draft.files, draft.interpretation, draft.trigger_phrases])
  expect(written).not.toContain('Reception')
  expect(written).not.toMatch(/\b24\b/)
  expect(fileOf(draft, 'SKILL.md')).toContain('Not when the given unit is closed')
})

test('neither typed texts nor other entries of the lists are in any file, nor is a password', async () => {
  const id = (name: string) => `${portal}:id/${name}`
  const signIn = await drafted([
    open(portal),
    type(id('user'), 'ada'),
    type(id('password'), 'engine'),
    tapId(id('sign_in')),
  ])
  expect(signIn.examples).toEqual({ user: 'ada' })
  expect(JSON.stringify(signIn.files)).not.toMatch(/\bada\b|engine|Lovelace|invoice/)
  const removal = await drafted([open(notes), tap('Meeting'), tap('Delete'), button(1)])
  expect(JSON.stringify(removal.files)).not.toMatch(/Meeting|Groceries|Birthday|Milk|Monday/)
})

test('the same source gives the same bytes', async () => {
  const draft = await drafted(setReception, { shown: { goal: "Set a unit's temperature" } })
  expect(compileDraft(draft.source).files).toEqual(draft.files)
})

test('a reviewer can keep what was left out and call an input by another name', async () => {
  const [first, ...rest] = setReception
  const shown = [
    ...(first === undefined ? [] : [first]),
    tap('Lobby'),
    { act: { type: 'press_key', params: { key: 'back' } } },
    ...rest,
  ]
  const plain = await drafted(shown)
  expect(recipeIn(plain).steps.filter(({ type: kind }) => kind === 'press_key')).toHaveLength(0)
  const kept = await drafted(
    shown,
    {},
    {
      keep: ['trace-1-event-2', 'trace-1-event-3'],
    },
  )
  expect(recipeIn(kept).steps.filter(({ type: kind }) => kind === 'press_key')).toHaveLength(1)
  const renamed = await drafted(
    shown,
    {},
    {
      edits: { inputs: { unit: { name: 'room', summary: 'The room to heat' } } },
    },
  )
  expect(recipeIn(renamed).inputs[0]).toMatchObject({ name: 'room', summary: 'The room to heat' })
  expect(renamed.examples).toMatchObject({ room: 'Reception' })
  expect(fileOf(renamed, 'recipe.json')).not.toContain('inputs.unit')
  expect(validateRecipe(recipeIn(renamed))).toEqual([])
})

test('an improved skill keeps its recipe, and what differs is told in plain words', async () => {
  const before = recipeIn(
    await drafted(setReception, { shown: { goal: "Set a unit's temperature" } }),
  )
  const better = await drafted(
    [open(climate), tap('Lobby'), tapDescribed('Warmer'), tap('Heat'), tap('Save'), button(1)],
    { session: { target_kind: 'existing_skill', target_skill_id: 'learned.set-temperature' } },
    { target_recipe: before },
  )
  expect(recipeIn(better)).toMatchObject({ recipe_id: before.recipe_id, recipe_version: '1.1.0' })
  expect(jsonOf(better, 'review.json')['diff']).toEqual({
    summary: [
      'The input mode is new',
      'The step select mode is new',
      'The check shows mode is new',
    ],
    changes: [
      { path: 'inputs.mode', change: 'added' },
      { path: 'steps.select_mode', change: 'added' },
      { path: 'verification.shows_mode', change: 'added' },
    ],
  })
})

test('coaching is stated as conditions and hints', async () => {
  const draft = await drafted(
    setReception,
    {},
    {
      coaching: { constraints: ['Never above 26 degrees'], hints: ['Reception is the usual one'] },
    },
  )
  const document = fileOf(draft, 'SKILL.md')
  expect(document).toContain(
    '## Conditions\n\n- Never above 26 degrees\n\n## Hints\n\n- the given unit is the usual one\n',
  )
})

test('without a phone the draft is what it was', () => {
  const source = draftSource({ shown: { steps: [step('Open the export dialog')] } })
  const without = compileDraft(source)
  expect(compileDraft({ ...source, runs: [] })).toEqual(without)
  expect(without.files.map(({ name }) => name)).not.toContain('recipe.json')
  expect(without).not.toHaveProperty('examples')
})
