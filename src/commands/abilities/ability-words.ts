import type { z } from 'zod'
import type { AbilityAvailabilityEntry } from '@apprentice/contracts/abilities/ability.ts'
import type { AbilityDetail } from '@apprentice/contracts/abilities/availability.ts'
import type { AbilitySummary } from '@apprentice/contracts/abilities/availability.ts'
import type { AbilityVersion } from '@apprentice/contracts/abilities/installs.ts'
import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { table } from '../terminal/connection.ts'

export function abilityTable(abilities: readonly z.infer<typeof AbilitySummary>[]): string {
  if (abilities.length === 0) return 'Nothing was learned yet; begin with `apprentice teach`.'
  return table([
    ['ABILITY', 'USABLE', 'LANE', 'CHECKPOINTS', 'TITLE'],
    ...abilities.map((ability) => [
      ability.ability_id,
      usable(ability),
      ability.install_lane,
      ability.checkpoint_health ?? '-',
      ability.title,
    ]),
  ])
}

export function describeAbility(ability: AbilityDetail): string {
  const { inputs, title, ability_id, family, source, install_lane, last_validated_at } = ability
  return [
    title,
    '',
    table([
      ['id', ability_id],
      ['usable now', usable(ability)],
      ['lane', `${install_lane}${ability.enabled ? '' : ', switched off'}`],
      ['family', `${family}, ${source}`],
      ['checkpoints', ability.checkpoint_health ?? '-'],
      ['last tested', last_validated_at ?? '-'],
    ]),
    ...section('Said as', ability.trigger_phrases),
    ...section('Not for', ability.negative_triggers),
    ...section('Inputs', inputs.map(inputWords)),
  ].join('\n')
}

function inputWords({ name, type, required, summary, choices }: RecipeInput): string {
  const kind = choices === undefined ? type : choices.join(' | ')
  const optional = required ? '' : ', may be left out'
  return `${name} (${kind}${optional})${summary === undefined ? '' : `: ${summary}`}`
}

export function versionTable(versions: readonly z.infer<typeof AbilityVersion>[]): string {
  return table([
    ['VERSION', 'INSTALLED', 'RETIRED', 'LANE', 'DRAFT', ''],
    ...versions.map((version) => [
      String(version.version),
      version.installed_at,
      version.retired_at ?? '-',
      version.install_lane,
      version.draft_hash.slice(0, 12),
      [
        version.current ? 'current' : '',
        version.restored_from === undefined ? '' : `same as ${version.restored_from}`,
      ]
        .filter((words) => words !== '')
        .join(', '),
    ]),
  ])
}

function section(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', head, ...lines.map((line) => `  ${line}`)]
}

function usable({
  usable_now,
  reason_unusable,
}: Pick<AbilityAvailabilityEntry, 'usable_now' | 'reason_unusable'>): string {
  return usable_now ? 'yes' : `no, ${(reason_unusable ?? 'not now').replaceAll('_', ' ')}`
}
