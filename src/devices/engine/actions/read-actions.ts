import { readKeyValue } from '../../../screen/key-value.ts'
import { type UiNode } from '../../../screen/hierarchy.ts'
import { matchTarget } from '../../../screen/matcher.ts'
import { type TextValidator, validateText } from '../../../screen/text-validators.ts'
import type { ParamsOf } from './action-params.ts'
import type { EngineRun } from '../engine-run.ts'
import { retrying } from '../retrying.ts'
import { lookOrFail } from '../screen-reads.ts'
import { type StepNotes, describeNode, shownLabel } from '../step-evidence.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { findNow, noted, resolveOn, unresolved } from '../target-lookup.ts'

export async function readText(
  run: EngineRun,
  params: ParamsOf<'read_text'>,
  notes: StepNotes,
): Promise<StepData> {
  const nodes = await retrying(run, params.retry, () => findTexts(run, params, notes))
  const rule = ruleOf(params)
  const texts = nodes.map((node) => checkedText(shownLabel(node), rule))
  const facts = {
    ...(rule !== undefined && { validator: rule.validator }),
    ...(params.container !== undefined && { container: JSON.stringify(params.container) }),
  }
  if (!params.all) return { text: texts[0] ?? '', ...facts }
  return { text: JSON.stringify(texts), all: 'true', count: String(texts.length), ...facts }
}

async function findTexts(
  run: EngineRun,
  params: ParamsOf<'read_text'>,
  notes: StepNotes,
): Promise<readonly UiNode[]> {
  if (!params.all) return [(await findNow(run, params, notes)).node]
  const reading = await lookOrFail(run)
  const matches = matchTarget(reading.hierarchy, params)
  if (matches.kind !== 'found') throw unresolved(matches, reading)
  const [first] = matches.nodes
  if (first === undefined) throw unresolved({ kind: 'missing', error: 'NODE_NOT_FOUND' }, reading)
  noted({ reading, node: first, fallback: matches.fallback }, notes)
  return matches.nodes
}

function ruleOf({ validator, validatorPattern }: ParamsOf<'read_text'>): TextValidator | undefined {
  if (validator === undefined) return undefined
  if (validator !== 'regex') return { validator }
  return { validator, validatorPattern: validatorPattern ?? '' }
}

function checkedText(raw: string, rule: TextValidator | undefined): string {
  if (rule === undefined) return raw
  const verdict = validateText(raw, rule)
  if (verdict.ok) return verdict.text
  const data = { raw_text: verdict.raw_text, validator: rule.validator }
  throw new StepFailure(verdict.error, verdict.message, { data })
}

export function readKeyValuePair(
  run: EngineRun,
  params: ParamsOf<'read_key_value_pair'>,
  notes: StepNotes,
): Promise<StepData> {
  const { labelMatcher, container, strict } = params
  return retrying(run, params.retry, async () => {
    const reading = await lookOrFail(run)
    const target = { matcher: labelMatcher, container, strict }
    const pair = readKeyValue(reading.hierarchy, target)
    if (pair.kind === 'found') {
      noted(resolveOn(reading, target), notes)
      notes.node = describeNode(pair.value)
      return { label: shownLabel(pair.label), value: shownLabel(pair.value) }
    }
    if (pair.error !== 'VALUE_NODE_NOT_FOUND') throw unresolved(pair, reading)
    const facts = { retryable: true, seen: reading }
    throw new StepFailure(pair.error, 'Nothing stands with the label.', facts)
  })
}
