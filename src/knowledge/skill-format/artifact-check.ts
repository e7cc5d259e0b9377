import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { opensHeader, splitDocument } from '../markdown/document.ts'
import { lintSource } from '../recipes/compile/compile-document.ts'
import { isError } from '../recipes/parse/violations.ts'

type Details = Readonly<Record<string, unknown>>

/** What is wrong with an artifact as it stands, its variables left as they are; undefined if nothing is. */
export function artifactProblem(artifact: string, text: string): Details | undefined {
  if (artifact.endsWith('.md')) return markdownProblem(artifact, text)
  let payload: unknown
  try {
    payload = JSON.parse(text)
  } catch (error) {
    return { artifact, path: '', reason: `Not JSON: ${(error as Error).message}` }
  }
  if (isRecord(payload) && 'recipe_id' in payload) return recipeProblem(artifact, text, 'json')
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

/** Markdown without a recipe in it is reading matter. */
function markdownProblem(artifact: string, text: string): Details | undefined {
  if (!opensHeader(text)) return undefined
  // What is begun and never ended may still be meant as a recipe.
  const { header, body } = splitDocument(text)
  const isRecipe = /^recipe_id[ \t]*:/m.test(header ?? body)
  return isRecipe ? recipeProblem(artifact, text, 'markdown') : undefined
}

function recipeProblem(
  artifact: string,
  text: string,
  format: 'json' | 'markdown',
): Details | undefined {
  const { violations } = lintSource({ text, format }, {})
  const first = violations.find(isError)
  if (first === undefined) return undefined
  return { artifact, path: first.path, reason: first.message, violations }
}
