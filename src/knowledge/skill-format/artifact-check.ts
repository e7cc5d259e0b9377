import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { startsWithHeader, splitDocument } from '../markdown/document.ts'
import { lintSource } from '../recipes/compile/compile-document.ts'
import { isError } from '../recipes/parse/violations.ts'

type ProblemDetails = Readonly<Record<string, unknown>>

/** Checks an artifact without replacing its variables. Returns undefined if it is valid. */
export function checkArtifact(artifact: string, text: string): ProblemDetails | undefined {
  if (artifact.endsWith('.md')) return checkMarkdown(artifact, text)
  let payload: unknown
  try {
    payload = JSON.parse(text)
  } catch (error) {
    return { artifact, path: '', reason: `Not JSON: ${(error as Error).message}` }
  }
  if (isRecord(payload) && 'recipe_id' in payload) return checkRecipe(artifact, text, 'json')
  const normalized = normalizeExecution(payload)
  if (normalized.ok) return undefined
  const { path, reason, actionId, actionType, invalidKeys, hint } = normalized.failure
  return {
    artifact,
    path,
    reason,
    ...(actionId === undefined ? {} : { actionId }),
    ...(actionType === undefined ? {} : { actionType }),
    ...(invalidKeys === undefined ? {} : { invalidKeys }),
    ...(hint === undefined ? {} : { hint }),
  }
}

/** Markdown without a recipe needs no check. */
function checkMarkdown(artifact: string, text: string): ProblemDetails | undefined {
  if (!startsWithHeader(text)) return undefined
  // A header without an end may still be a recipe.
  const { header, body } = splitDocument(text)
  const isRecipe = /^recipe_id[ \t]*:/m.test(header ?? body)
  return isRecipe ? checkRecipe(artifact, text, 'markdown') : undefined
}

function checkRecipe(artifact: string, text: string, format: 'json' | 'markdown'): ProblemDetails | undefined {
  const { violations } = lintSource({ text, format }, {})
  const first = violations.find(isError)
  if (first === undefined) return undefined
  return { artifact, path: first.path, reason: first.message, violations }
}
