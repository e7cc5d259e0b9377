import { setImmediate as nextTurn } from 'node:timers/promises'
import { readKeyValue } from '../../../screen/key-value.ts'
import { type UiNode } from '../../../screen/tree/hierarchy.ts'
import { matchTarget } from '../../../screen/matcher.ts'
import { type TextValidator, validateText } from '../../../screen/text-validators.ts'
import type { ActionParams } from './action-params.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { withRetry } from '../retry.ts'
import { readScreenOnce } from '../read-screen.ts'
import { type StepNotes, describeNode, readDisplayedLabel } from '../step-evidence.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { findOnCurrentScreen, recordTarget, resolveOnReading, toUnresolvedFailure } from '../target-lookup.ts'

export async function readText(
  execution: EngineExecution,
  params: ActionParams<'read_text'>,
  notes: StepNotes,
): Promise<StepData> {
  const nodes = await withRetry(execution, params.retry, () => findTexts(execution, params, notes))
  const rule = toValidator(params)
  const texts: string[] = []
  for (const node of nodes) {
    texts.push(requireValidText(readDisplayedLabel(node), rule))
    // A large pattern may take some milliseconds for each of thousands of texts.
    if (rule?.validator === 'regex') await nextTurn()
  }
  const facts = {
    ...(rule !== undefined && { validator: rule.validator }),
    ...(params.container !== undefined && { container: JSON.stringify(params.container) }),
  }
  if (!params.all) return { text: texts[0] ?? '', ...facts }
  return { text: JSON.stringify(texts), all: 'true', count: String(texts.length), ...facts }
}

async function findTexts(
  execution: EngineExecution,
  params: ActionParams<'read_text'>,
  notes: StepNotes,
): Promise<readonly UiNode[]> {
  if (!params.all) return [(await findOnCurrentScreen(execution, params, notes)).node]
  const reading = await readScreenOnce(execution)
  const matches = matchTarget(reading.hierarchy, params)
  if (matches.kind !== 'found') throw toUnresolvedFailure(matches, reading)
  const [first] = matches.nodes
  if (first === undefined) throw toUnresolvedFailure({ kind: 'missing', error: 'NODE_NOT_FOUND' }, reading)
  recordTarget({ reading, node: first, fallback: matches.fallback }, notes)
  return matches.nodes
}

function toValidator({ validator, validatorPattern }: ActionParams<'read_text'>): TextValidator | undefined {
  if (validator === undefined) return undefined
  if (validator !== 'regex') return { validator }
  return { validator, validatorPattern: validatorPattern ?? '' }
}

function requireValidText(raw: string, rule: TextValidator | undefined): string {
  if (rule === undefined) return raw
  const verdict = validateText(raw, rule)
  if (verdict.ok) return verdict.text
  const data = { raw_text: verdict.raw_text, validator: rule.validator }
  throw new StepFailure(verdict.error, verdict.message, { data })
}

export function readKeyValuePair(
  execution: EngineExecution,
  params: ActionParams<'read_key_value_pair'>,
  notes: StepNotes,
): Promise<StepData> {
  const { labelMatcher, container, strict } = params
  return withRetry(execution, params.retry, async () => {
    const reading = await readScreenOnce(execution)
    const target = { matcher: labelMatcher, container, strict }
    const pair = readKeyValue(reading.hierarchy, target)
    if (pair.kind === 'found') {
      recordTarget(resolveOnReading(reading, target), notes)
      notes.node = describeNode(pair.value)
      return { label: readDisplayedLabel(pair.label), value: readDisplayedLabel(pair.value) }
    }
    if (pair.error !== 'VALUE_NODE_NOT_FOUND') throw toUnresolvedFailure(pair, reading)
    const facts = { retryable: true, seen: reading }
    throw new StepFailure(pair.error, 'There is no value next to the label.', facts)
  })
}
