import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { AbilityDetail } from '@apprentice/contracts/abilities/availability.ts'
import { uninstallAbility } from '@apprentice/contracts/abilities/installs.ts'
import { activateAbility, deactivateAbility } from '@apprentice/contracts/abilities/lifecycle.ts'
import { exportAbility } from '@apprentice/contracts/skills/imports.ts'
import { fillPath } from '@apprentice/contracts/client.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

interface AbilitySettingsProps {
  readonly ability: AbilityDetail
  readonly onChanged: () => Promise<void>
}

export function AbilitySettings({ ability, onChanged }: AbilitySettingsProps) {
  const asking = useSignal(false)
  const { route } = useLocation()
  const params = { abilityId: ability.ability_id }
  const toggle = () =>
    attempt(async () => {
      if (ability.enabled) await call(deactivateAbility, { params, body: {} })
      else await call(activateAbility, { params, body: {} })
      await onChanged()
    })
  const remove = async (): Promise<void> => {
    if (await attempt(() => call(uninstallAbility, { params }))) route('/skills')
  }
  return (
    <section class="panel">
      <div class="buttons">
        <button type="button" onClick={() => void toggle()}>
          {ability.enabled ? t.ability.switchOff : t.ability.switchOn}
        </button>
        <a class="button" href={fillPath(exportAbility.url, params)} download>
          <Icon name="download" /> {t.ability.exportBundle}
        </a>
        <span class="spacer" />
        <button type="button" class="danger quiet" onClick={() => (asking.value = true)}>
          {t.ability.remove}
        </button>
      </div>
      {asking.value && (
        <Confirm
          title={t.ability.removeTitle(ability.title)}
          text={t.ability.removeText}
          action={t.ability.remove}
          onConfirm={() => void remove()}
          onClose={() => (asking.value = false)}
        />
      )}
    </section>
  )
}
