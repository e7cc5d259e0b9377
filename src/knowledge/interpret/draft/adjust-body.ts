import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeContainer, RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import type { UiNode } from '../../../screen/hierarchy.ts'
import type { Intent } from '../align/intent.ts'
import { reference } from '../read/matching.ts'
import { type Candidate, candidatesFor, type ScreenView } from '../read/selectors.ts'

export const lost = 'What was touched cannot be told from other things like it'

/** A number is set by reading it, touching what moves it, and reading it again. */
export function adjustBody(
  { move, input = '', entry }: Intent,
  sight: ScreenView,
): Omit<RecipeStep, 'id'> | string {
  const { adjustment, before } = move
  if (adjustment === undefined || before === undefined) return lost
  const { value, increase, decrease, slider } = adjustment
  const nodes: Readonly<Record<string, UiNode | undefined>> = { value, increase, decrease, slider }
  const parts = Object.entries(nodes).flatMap(([name, node]) =>
    node === undefined ? [] : [[name, candidatesFor(node, before, sight, entry)] as const],
  )
  const together = inOneContainer(parts)
  if (together === undefined) return lost
  return {
    type: 'adjust_until',
    ...(together.container !== undefined && { container: together.container }),
    params: { ...together.selectors, target: reference(input) },
  }
}

interface Together {
  readonly container: RecipeContainer | undefined
  readonly selectors: Readonly<Record<string, RecipeSelector>>
  readonly cost: number
}

/** All parts are looked for in the same region, so they need ways to be found that share one. */
function inOneContainer(
  parts: readonly (readonly [string, readonly Candidate[]])[],
): Together | undefined {
  const containers = new Map(
    parts.flatMap(([, ways]) =>
      ways.map(({ container }) => [keyOf(container), container] as const),
    ),
  )
  return [...containers.values()]
    .flatMap((container): Together[] => {
      const chosen = parts.map(([name, ways]) => {
        const at = ways.findIndex((way) => keyOf(way.container) === keyOf(container))
        return { name, at, selector: ways[at]?.selector }
      })
      const selectors = chosen.flatMap(({ name, selector }) =>
        selector === undefined ? [] : [[name, selector] as const],
      )
      if (selectors.length < parts.length) return []
      const cost = chosen.reduce((sum, { at }) => sum + at, 0)
      return [{ container, selectors: Object.fromEntries(selectors), cost }]
    })
    .toSorted((a, b) => a.cost - b.cost)[0]
}

const keyOf = (container: RecipeContainer | undefined): string => JSON.stringify(container ?? null)
