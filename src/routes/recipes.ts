import type { FastifyInstance } from 'fastify'
import { compileRecipe, lintRecipe } from '@apprentice/contracts/recipes/recipes.ts'
import { inferCapabilities } from '../knowledge/recipes/lower/capabilities.ts'
import { compileSource, lintSource } from '../knowledge/recipes/compile/compile-document.ts'
import { lintCalls } from '../domain/abilities/called-abilities.ts'
import { isError } from '../knowledge/recipes/parse/violations.ts'
import { mountContract } from '../http/contract-routes.ts'
import type { System } from '../daemon/system.ts'

export function recipeRoutes(app: FastifyInstance, { commands, blockedTerms: readBlockedTerms }: System): void {
  const on = mountContract(app)

  on(lintRecipe)(async ({ body: { strict, blocked_terms, ...source }, caller }) => {
    const blockedTerms = [...(await readBlockedTerms()), ...blocked_terms]
    const { recipe, violations: own } = lintSource(source, { strict, blockedTerms })
    const calls = recipe === undefined ? [] : commands.read((reader) => lintCalls(reader, recipe, caller.user_id))
    const violations = [...own, ...calls]
    return {
      valid: !violations.some(isError),
      violations,
      ...(recipe !== undefined && {
        recipe_id: recipe.recipe_id,
        recipe_type: recipe.recipe_type,
        capabilities: inferCapabilities(recipe),
      }),
      schema_version: 1 as const,
    }
  })

  on(compileRecipe)(({ body: { timeout_ms: timeoutMs, ...body } }) => {
    const { execution, steps, capabilities, warnings, unused_inputs } = compileSource(body, {
      ...body,
      timeoutMs,
    })
    return {
      execution,
      steps: [...steps],
      capabilities: [...capabilities],
      warnings: [...warnings],
      unused_inputs: [...unused_inputs],
      schema_version: 1 as const,
    }
  })
}
