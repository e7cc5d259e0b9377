import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { AbilityDetail } from '@apprentice/contracts/abilities/availability.ts'
import { listVersions, uninstallAbility } from '@apprentice/contracts/abilities/installs.ts'
import { acceptRisk } from '@apprentice/contracts/abilities/lanes.ts'
import {
  activateAbility,
  deactivateAbility,
  promoteShared,
  quarantineAbility,
  unquarantineAbility,
} from '@apprentice/contracts/abilities/lifecycle.ts'
import { exportAbility } from '@apprentice/contracts/skills/imports.ts'
import { fillPath } from '@apprentice/contracts/client.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { ReasonForm } from '../parts/reason-form.tsx'
import { t } from '../text/text.ts'
import { AbilityHealth } from './ability-health.tsx'
import { FollowUps } from './follow-ups.tsx'

interface AbilitySettingsProps {
  readonly ability: AbilityDetail
  readonly onChanged: () => Promise<void>
}

/** The state of an ability and how to change it. Removal is apart and asks once. */
export function AbilitySettings({ ability, onChanged }: AbilitySettingsProps) {
  const asking = useSignal<'remove' | 'quarantine' | 'risk' | undefined>(undefined)
  const { route } = useLocation()
  const params = { abilityId: ability.ability_id }
  const isQuarantined = ability.install_lane === 'quarantined'
  const change = (work: () => Promise<unknown>): Promise<boolean> => attempt(work, onChanged)
  const remove = async (): Promise<void> => {
    if (await attempt(() => call(uninstallAbility, { params }))) route('/skills')
  }
  const close = (): void => {
    asking.value = undefined
  }
  return (
    <>
      <section class="panel">
        <h2>{t.ability.state}</h2>
        <div class="buttons">
          <EnableButton ability={ability} change={change} />
          {isQuarantined ? (
            <button type="button" onClick={() => void change(() => call(unquarantineAbility, { params, body: {} }))}>
              {t.ability.release}
            </button>
          ) : (
            <button type="button" onClick={() => (asking.value = 'quarantine')}>
              {t.ability.quarantine}
            </button>
          )}
          {ability.reason_unusable === 'not_rehearsed' && (
            <button type="button" onClick={() => (asking.value = 'risk')}>
              {t.ability.acceptRisk}
            </button>
          )}
          {ability.install_lane === 'approved_workspace' && (
            <button type="button" onClick={() => void change(() => call(promoteShared, { params, body: {} }))}>
              {t.ability.share}
            </button>
          )}
          <a class="button" href={fillPath(exportAbility.url, params)} download>
            <Icon name="download" /> {t.ability.exportBundle}
          </a>
          <span class="spacer" />
          <button type="button" class="danger quiet" onClick={() => (asking.value = 'remove')}>
            {t.ability.remove}
          </button>
        </div>
      </section>
      <AbilityHealth ability={ability} />
      <FollowUps abilityId={ability.ability_id} />
      {asking.value === 'remove' && (
        <Confirm
          title={t.ability.removeTitle(ability.title)}
          text={t.ability.removeText}
          action={t.ability.remove}
          onConfirm={() => void remove()}
          onClose={close}
        />
      )}
      {asking.value === 'quarantine' && (
        <ReasonForm
          title={t.ability.quarantineTitle(ability.title)}
          text={t.ability.quarantineText}
          action={t.ability.quarantine}
          onReason={(reason) => change(() => call(quarantineAbility, { params, body: { reason } }))}
          onClose={close}
        />
      )}
      {asking.value === 'risk' && (
        <ReasonForm
          title={t.ability.acceptRiskTitle}
          text={t.ability.acceptRiskText}
          action={t.ability.acceptRisk}
          onReason={(reason) => change(() => acceptCurrentRisk(ability.ability_id, reason))}
          onClose={close}
        />
      )}
    </>
  )
}

interface EnableButtonProps {
  readonly ability: AbilityDetail
  readonly change: (work: () => Promise<unknown>) => Promise<boolean>
}

function EnableButton({ ability: { ability_id, enabled }, change }: EnableButtonProps) {
  const params = { abilityId: ability_id }
  return enabled ? (
    <button type="button" onClick={() => void change(() => call(deactivateAbility, { params, body: {} }))}>
      {t.ability.switchOff}
    </button>
  ) : (
    <button
      type="button"
      class="primary"
      onClick={() => void change(() => call(activateAbility, { params, body: {} }))}
    >
      {t.ability.switchOn}
    </button>
  )
}

/** The decision names the content that is installed now. */
async function acceptCurrentRisk(abilityId: string, reason: string): Promise<void> {
  const { versions } = await call(listVersions, { params: { abilityId } })
  const draft_hash = versions.find(({ current }) => current)?.draft_hash ?? ''
  await call(acceptRisk, { params: { abilityId }, body: { draft_hash, reason } })
}
