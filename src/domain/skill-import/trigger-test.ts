import type { z } from 'zod'
import type { testTrigger as contract } from '@apprentice/contracts/skills/imports.ts'
import type { ImportRow } from '../../store/skill-import/skill-imports.ts'
import {
  countInTitle,
  findNegative,
  matchTrigger,
  readAbilityTexts,
  readQuery,
  type ScoredFields,
  scoreAbility,
  MIN_SCORE,
} from '../../knowledge/lookup/scorer.ts'
import { getVisibleAbility } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { clip } from '../../knowledge/text/plain-text.ts'
import { getOwnImport, recordImportReceipt } from './record/import-record.ts'

type TriggerTestRequest = z.output<(typeof contract)['body']>
type TriggerTestReply = z.input<(typeof contract)['reply']>

/** Tests with the matcher of the lookup whether a phrase finds an ability or an import. */
export function testTrigger(ctx: CommandContext, request: TriggerTestRequest): TriggerTestReply {
  const { import_id, ability_id, trigger_text, project_id } = request
  const row = import_id === undefined ? undefined : getOwnImport(ctx.tx, import_id, ctx.actor.user_id)
  const ability = ability_id === undefined ? undefined : getVisibleAbility(ctx.tx, ability_id, ctx.actor.user_id)
  const subject: ScoredFields | undefined = ability ?? asIfInstalled(row)
  const found = subject === undefined ? NOT_SCANNED : matchPhrase(subject, trigger_text, project_id)
  const summary = `Trigger phrase tested on ${ability_id ?? row?.skill_name ?? ''}: ${found.matched ? 'matched' : 'not matched'}.`
  const receipt_id =
    row === undefined
      ? recordReceipt(ctx, 'skill_import.trigger_tested', {
          summary,
          ...(ability_id === undefined ? {} : { ability_id }),
        })
      : recordImportReceipt(ctx, row, 'skill_import.trigger_tested', { summary })
  return {
    ...found,
    ...(ability_id === undefined ? {} : { candidate_ability_id: ability_id }),
    ...(import_id === undefined ? {} : { candidate_import_id: import_id }),
    receipt_id,
    schema_version: 1,
  }
}

const NOT_SCANNED = { matched: false, reasons: [], rejection_reasons: ['not_scanned'] }

/** The import as the lookup would score it if it were installed for its owner. */
function asIfInstalled(row: ImportRow | undefined): ScoredFields | undefined {
  const frontmatter = row?.report?.frontmatter
  if (frontmatter === undefined) return undefined
  const { title, triggers, negative_triggers } = frontmatter
  return {
    title,
    trigger_phrases: triggers,
    negative_triggers,
    project_scopes: [],
    install_lane: 'experimental_private',
    checkpoint_health: 'no_data',
    usable_now: true,
  }
}

function matchPhrase(subject: ScoredFields, text: string, project: string | undefined) {
  const query = readQuery(text)
  const readable = readAbilityTexts(subject)
  const { score, by_text } = scoreAbility(query, readable, project)
  const trigger = matchTrigger(query, readable)
  const negative = subject.negative_triggers[findNegative(query, readable)]
  const inTitle = countInTitle(query, readable)
  const reasons = [
    ...(trigger?.kind === 'full' ? [`trigger_phrase_match: "${subject.trigger_phrases[trigger.at] ?? ''}"`] : []),
    ...(trigger?.kind === 'partial' ? [`trigger_partial_match: ${trigger.words} tokens`] : []),
    ...(inTitle >= 2 ? [`title_match: ${inTitle} tokens`] : []),
  ]
  return {
    matched: by_text && score >= MIN_SCORE,
    score,
    reasons: negative === undefined ? reasons.map((reason) => clip(reason, 240)) : [],
    rejection_reasons: [
      ...(negative === undefined ? [] : [clip(`negative_trigger_match: "${negative}"`, 240)]),
      ...(by_text || negative !== undefined ? [] : ['no_text_match']),
      ...(score < MIN_SCORE ? ['below_threshold'] : []),
    ],
  }
}
