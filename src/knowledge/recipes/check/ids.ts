import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { listActions, MAX_ACTIONS } from '../lower/lower-recipe.ts'
import { splitGroups } from '../parts/action-groups.ts'
import { errorAt, type RecipePath } from '../parse/violations.ts'

const RESERVED_IDS = ['session_close', 'session_open', 'session_ready']

/** Ids must be unique and must differ from the ids that the compiler generates. */
export function checkIds(recipe: Recipe): Violation[] {
  const { steps, verification = [], checkpoints = [], inputs, outputs } = recipe
  const reserved = steps.flatMap(({ id }, at) =>
    RESERVED_IDS.includes(id) || id.startsWith('verify.')
      ? [duplicateId(['steps', at, 'id'], `The id ${id} is reserved for the compiler; choose another one`)]
      : [],
  )
  return [
    ...reserved,
    ...findRepeated(['steps'], 'id', steps),
    ...findRepeated(['verification'], 'id', verification),
    ...findRepeated(['checkpoints'], 'checkpoint_id', checkpoints),
    ...findRepeated(['checkpoints'], 'after_step', checkpoints),
    ...findRepeated(['inputs'], 'name', inputs),
    ...findRepeated(['outputs'], 'name', outputs),
    ...checkActionIds(recipe),
    ...checkAfterSteps(recipe),
  ]
}

/** Checks the number of actions and their ids, which are derived from the ids of the steps. */
function checkActionIds(recipe: Recipe): Violation[] {
  const actions = listActions(recipe)
  const found: Violation[] = []
  const steps = new Set(recipe.steps.map(({ id }) => id))
  for (const { action, step_id, role } of actions) {
    const path = ['steps', recipe.steps.findIndex(({ id }) => id === step_id), 'id']
    const derived = role === 'wait' || role === 'confirm'
    if (derived && steps.has(action.id)) {
      found.push(
        duplicateId(
          path,
          `The id ${action.id} of another step is also the id of a generated action of this step; rename one of the steps`,
        ),
      )
    }
    if (action.id.length > 128) {
      const message = 'The id is too long: ids of generated actions have more than 128 characters'
      found.push(errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'ids', path, message }))
    }
  }
  return [...found, ...checkGroupSizes(recipe)]
}

/** An execution is split between steps only, so each step must fit into one execution. */
function checkGroupSizes(recipe: Recipe): Violation[] {
  return splitGroups(listActions(recipe))
    .filter((group) => group.length > MAX_ACTIONS)
    .map((group) => {
      const at = recipe.steps.findIndex(({ id }) => id === group.at(-1)?.step_id)
      const path = at < 0 ? ['verification'] : ['steps', at]
      const message = `The step produces ${group.length} actions; the maximum is ${MAX_ACTIONS}`
      return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'size', path, message })
    })
}

function checkAfterSteps({ steps, verification = [], checkpoints = [] }: Recipe): Violation[] {
  const ids = new Set([...steps.map(({ id }) => id), ...verification.map(({ id }) => `verify.${id}`)])
  return checkpoints.flatMap(({ after_step }, at) =>
    ids.has(after_step)
      ? []
      : [
          errorAt({
            code: 'RECIPE_SCHEMA_INVALID',
            rule: 'checkpoints',
            path: ['checkpoints', at, 'after_step'],
            message: `The step ${after_step} does not exist`,
          }),
        ],
  )
}

function findRepeated<Key extends string>(
  path: RecipePath,
  key: Key,
  list: readonly Readonly<Record<Key, string>>[],
): Violation[] {
  const seen = new Set<string>()
  return list.flatMap((one, at) => {
    const name = one[key]
    if (seen.has(name)) return [duplicateId([...path, at, key], `The ${key} ${name} is used more than once`)]
    seen.add(name)
    return []
  })
}

function duplicateId(path: RecipePath, message: string): Violation {
  return errorAt({ code: 'RECIPE_DUPLICATE_ID', rule: 'ids', path, message })
}
