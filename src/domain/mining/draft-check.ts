import { parseRecipe } from '../../knowledge/recipes/check/parse-recipe.ts'
import { compileRecipe } from '../../knowledge/recipes/compile/compile.ts'
import { lintCheckpoints } from '../../knowledge/checkpoint-lint/checkpoint-lint.ts'
import type { SkillDraft } from '../proposals/draft/skill-draft.ts'
import { readDraftJson } from '../proposals/content/files.ts'

/** Thrown inside the transaction of a build, so that nothing of a rejected draft is stored. */
export class DraftRejected extends Error {}

/**
 * Why a mined draft must not be offered: it has no recipe, the recipe does not compile with the values of the executions,
 * or the linter refuses it. Undefined if it may be.
 */
export function findDraftProblem(draft: SkillDraft, now: string): string | undefined {
  const content = draft.files.find(({ name }) => name === 'recipe.json')?.content
  if (content === undefined) return 'no_recipe: the screens do not prove the result of the workflow'
  return findCompileProblem(content, draft.examples ?? {}) ?? findLintProblem(draft, now)
}

function findCompileProblem(content: string, examples: Readonly<Record<string, unknown>>): string | undefined {
  const parsed = parseRecipe(content, 'json')
  if ('violations' in parsed) return describe('does_not_compile', parsed.violations[0])
  const declared = new Set(parsed.recipe.inputs.map(({ name }) => name))
  const values = Object.entries(examples).filter(([name]) => declared.has(name))
  const compiled = compileRecipe(parsed.recipe, Object.fromEntries(values))
  return compiled.ok ? undefined : describe('does_not_compile', compiled.violations[0])
}

/** Why a draft without a recipe must not be offered: the linter refuses its document. */
export function findLintProblem({ interpretation, files }: SkillDraft, now: string): string | undefined {
  const graph = readDraftJson(files, 'graph.json') as
    | { readonly graph_id?: string; readonly nodes?: readonly { readonly node_id: string }[] }
    | undefined
  const report = lintCheckpoints(
    {
      proposal_id: interpretation.interpretation_id,
      interpretation,
      document: files.find(({ name }) => name === 'SKILL.md')?.content ?? '',
      graph: { graph_id: graph?.graph_id, node_ids: (graph?.nodes ?? []).map(({ node_id }) => node_id) },
    },
    now,
  )
  if (report.passed) return undefined
  return describe(
    'lint_failed',
    report.findings.find(({ severity }) => severity === 'error'),
  )
}

const describe = (kind: string, problem: { readonly code: string; readonly message: string } | undefined): string =>
  `${kind}: ${problem?.code ?? ''} ${problem?.message ?? ''}`.trim().slice(0, 240)
