import { useSignal } from '@preact/signals'
import type { SkillCatalogEntry } from '@apprentice/contracts/abilities/ability.ts'
import { uninstallAbility } from '@apprentice/contracts/abilities/installs.ts'
import { activateAbility, deactivateAbility } from '@apprentice/contracts/abilities/lifecycle.ts'
import { attempt, notify, offerUndo } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import type { MenuPlace } from '../categories/category-menu.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { t } from '../text/text.ts'

interface BulkBarProps {
  readonly abilities: readonly SkillCatalogEntry[]
  readonly onCategories: (place: MenuPlace) => void
  readonly onClear: () => void
  readonly onChanged: () => Promise<void>
}

type Change = (params: { abilityId: string }) => Promise<unknown>

const switchOn: Change = (params) => call(activateAbility, { params, body: {} })
const switchOff: Change = (params) => call(deactivateAbility, { params, body: {} })

async function changeEach(abilities: readonly SkillCatalogEntry[], change: Change): Promise<void> {
  for (const { ability_id } of abilities) await change({ abilityId: ability_id })
}

/** Actions on all selected abilities, one after the other. The first refusal ends them and is displayed. */
export function BulkBar({ abilities, onCategories, onClear, onChanged }: BulkBarProps) {
  const busy = useSignal(false)
  const asking = useSignal(false)
  const run = async (change: Change, undo?: Change): Promise<void> => {
    busy.value = true
    const isDone = await attempt(() => changeEach(abilities, change), onChanged)
    busy.value = false
    if (!isDone) return
    const text = t.skills.changed(abilities.length)
    if (undo === undefined) notify(text)
    else offerUndo(text, () => changeEach(abilities, undo))
    onClear()
  }
  const removeAll = () => run((params) => call(uninstallAbility, { params }))
  return (
    <div class="bulk" role="group" aria-label={t.skills.bulk}>
      <strong>{t.skills.selected(abilities.length)}</strong>
      <button type="button" disabled={busy.value} onClick={() => void run(switchOn, switchOff)}>
        {t.ability.switchOn}
      </button>
      <button type="button" disabled={busy.value} onClick={() => void run(switchOff, switchOn)}>
        {t.ability.switchOff}
      </button>
      <button
        type="button"
        aria-haspopup="true"
        onClick={({ currentTarget }) => {
          const { left, bottom } = currentTarget.getBoundingClientRect()
          onCategories({ x: left, y: bottom })
        }}
      >
        {t.category.add}
      </button>
      <span class="spacer" />
      <button type="button" class="danger" disabled={busy.value} onClick={() => (asking.value = true)}>
        {t.ability.remove}
      </button>
      <button type="button" class="quiet" onClick={onClear}>
        {t.skills.clearSelection}
      </button>
      {asking.value && (
        <Confirm
          title={t.skills.removeTitle(abilities.length)}
          text={t.ability.removeText}
          action={t.ability.remove}
          onConfirm={() => void removeAll()}
          onClose={() => (asking.value = false)}
        />
      )}
    </div>
  )
}
