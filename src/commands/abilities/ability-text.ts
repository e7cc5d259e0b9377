import type { z } from 'zod'
import type { AbilityAvailabilityEntry } from '@apprentice/contracts/abilities/ability.ts'
import type { AbilityDetail } from '@apprentice/contracts/abilities/availability.ts'
import type { AbilitySummary } from '@apprentice/contracts/abilities/availability.ts'
import type { AbilityVersion } from '@apprentice/contracts/abilities/installs.ts'
import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import { formatTable } from '../terminal/table.ts'

export function formatAbilities(abilities: readonly z.infer<typeof AbilitySummary>[]): string {
  if (abilities.length === 0) return `No abilities yet. Teach one with \`${hintCommand('teach')}\`.`
  return formatTable([
    ['ABILITY', 'USABLE', 'LANE', 'CHECKPOINTS', 'TITLE'],
    ...abilities.map((ability) => [
      ability.ability_id,
      formatUsability(ability),
      ability.install_lane,
      ability.checkpoint_health ?? '-',
      ability.title,
    ]),
  ])
}

export function formatAbility(ability: AbilityDetail): string {
  const { inputs, title, ability_id, family, source, install_lane, last_validated_at } = ability
  return [
    title,
    '',
    formatTable([
      ['id', ability_id],
      ['usable now', formatUsability(ability)],
      ['lane', `${install_lane}${ability.enabled ? '' : ', switched off'}`],
      ['family', `${family}, ${source}`],
      ['checkpoints', ability.checkpoint_health ?? '-'],
      ['last tested', last_validated_at ?? '-'],
    ]),
    ...(ability.reason_unproven === undefined ? [] : ['', ability.reason_unproven]),
    ...formatSection('Trigger phrases', ability.trigger_phrases),
    ...formatSection('Negative triggers', ability.negative_triggers),
    ...formatSection('Inputs', inputs.map(formatInput)),
  ].join('\n')
}

function formatInput({ name, type, required, summary, choices }: RecipeInput): string {
  const kind = choices === undefined ? type : choices.join(' | ')
  const optional = required ? '' : ', optional'
  return `${name} (${kind}${optional})${summary === undefined ? '' : `: ${summary}`}`
}

export function formatVersions(versions: readonly z.infer<typeof AbilityVersion>[]): string {
  return formatTable([
    ['VERSION', 'INSTALLED', 'RETIRED', 'LANE', 'DRAFT', ''],
    ...versions.map((version) => [
      String(version.version),
      version.installed_at,
      version.retired_at ?? '-',
      version.install_lane,
      version.draft_hash.slice(0, 12),
      [
        version.current ? 'current' : '',
        version.restored_from === undefined ? '' : `restored from ${version.restored_from}`,
      ]
        .filter((text) => text !== '')
        .join(', '),
    ]),
  ])
}

function formatSection(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', head, ...lines.map((line) => `  ${line}`)]
}

function formatUsability({
  usable_now,
  reason_unusable,
  proven,
}: Pick<AbilityAvailabilityEntry, 'usable_now' | 'reason_unusable' | 'proven'>): string {
  if (!usable_now) return `no, ${(reason_unusable ?? 'not now').replaceAll('_', ' ')}`
  return proven === false ? 'yes, unproven' : 'yes'
}
