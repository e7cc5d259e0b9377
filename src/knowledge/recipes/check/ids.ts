import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { actionsOf, MAX_ACTIONS } from '../lower/lower-recipe.ts'
import { errorAt, type RecipePath } from '../parse/violations.ts'

const RESERVED = ['session_close', 'session_open', 'session_ready']

/** Every name is given once, and leaves the names the compiler gives free. */
export function checkIds(recipe: Recipe): Violation[] {
  const { steps, verification = [], checkpoints = [], inputs, outputs } = recipe
  const reserved = steps.flatMap(({ id }, at) =>
    RESERVED.includes(id) || id.startsWith('verify.')
      ? [duplicate(['steps', at, 'id'], 'The compiler gives this id itself')]
      : [],
  )
  return [
    ...reserved,
    ...repeated(['steps'], 'id', steps),
    ...repeated(['verification'], 'id', verification),
    ...repeated(['checkpoints'], 'checkpoint_id', checkpoints),
    ...repeated(['checkpoints'], 'after_step', checkpoints),
    ...repeated(['inputs'], 'name', inputs),
    ...repeated(['outputs'], 'name', outputs),
    ...checkEmitted(recipe),
    ...checkAfterSteps(recipe),
  ]
}

/** What is sent to the phone has ids of its own, made from those of the steps. */
function checkEmitted(recipe: Recipe): Violation[] {
  const actions = actionsOf(recipe)
  const found: Violation[] = []
  const steps = new Set(recipe.steps.map(({ id }) => id))
  for (const { action, step_id, role } of actions) {
    const path = ['steps', recipe.steps.findIndex(({ id }) => id === step_id), 'id']
    const derived = role === 'wait' || role === 'confirm'
    if (derived && steps.has(action.id)) {
      found.push(
        duplicate(path, `Another step is called ${action.id}, as an action of this one is`),
      )
    }
    if (action.id.length > 128) {
      const message = 'The ids made from this one are longer than 128 characters'
      found.push(errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'ids', path, message }))
    }
  }
  if (actions.length > MAX_ACTIONS) {
    const message = `The steps make ${actions.length} actions; there may be ${MAX_ACTIONS}`
    found.push(errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'size', path: ['steps'], message }))
  }
  return found
}

function checkAfterSteps({ steps, verification = [], checkpoints = [] }: Recipe): Violation[] {
  const ids = new Set([
    ...steps.map(({ id }) => id),
    ...verification.map(({ id }) => `verify.${id}`),
  ])
  return checkpoints.flatMap(({ after_step }, at) =>
    ids.has(after_step)
      ? []
      : [
          errorAt({
            code: 'RECIPE_SCHEMA_INVALID',
            rule: 'checkpoints',
            path: ['checkpoints', at, 'after_step'],
            message: 'There is no such step',
          }),
        ],
  )
}

function repeated<Key extends string>(
  path: RecipePath,
  key: Key,
  list: readonly Readonly<Record<Key, string>>[],
): Violation[] {
  const seen = new Set<string>()
  return list.flatMap((one, at) => {
    const name = one[key]
    if (seen.has(name)) return [duplicate([...path, at, key], `${name} is there already`)]
    seen.add(name)
    return []
  })
}

function duplicate(path: RecipePath, message: string): Violation {
  return errorAt({ code: 'RECIPE_DUPLICATE_ID', rule: 'ids', path, message })
}
