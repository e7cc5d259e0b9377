import { useSignal } from '@preact/signals'
import { type Device, labelDevice, leaseDevice, releaseDevice } from '@apprentice/contracts/devices/device.ts'
import { attempt, notify } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Field, Time } from '../parts/basic.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatDateTime } from '../parts/format.ts'
import { nameDevice } from '../phone/name-device.ts'
import { t } from '../text/text.ts'

interface DeviceDetailsProps {
  readonly device: Device
  readonly onChanged: () => Promise<void>
}

/** What is known about a phone, its name, and who has reserved it. */
export function DeviceDetails({ device, onChanged }: DeviceDetailsProps) {
  const { serial, facts, last_seen_at } = device
  const { width, height, battery_level, charging } = facts
  const names = t.devices.facts
  return (
    <section class="panel">
      <h2>{t.devices.details}</h2>
      <Facts
        facts={[
          [names.serial, serial],
          [names.model, [facts.manufacturer, facts.model].filter(Boolean).join(' ')],
          [names.android, facts.android_version],
          [names.screen, width !== undefined && height !== undefined && `${width} × ${height}`],
          [names.battery, battery_level !== undefined && t.devices.battery(battery_level, charging === true)],
          [names.app, facts.foreground_package],
          [names.locale, facts.locale],
          [names.seen, <Time key="seen" at={last_seen_at} />],
        ]}
      />
      <LabelForm device={device} onChanged={onChanged} />
      <Lease device={device} onChanged={onChanged} />
    </section>
  )
}

function LabelForm({ device, onChanged }: DeviceDetailsProps) {
  const label = useSignal(nameDevice(device))
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body = { label: label.value.trim() }
    if (await attempt(() => call(labelDevice, { params: { serial: device.serial }, body }), onChanged)) {
      notify(t.settings.saved)
    }
  }
  return (
    <form class="inline-form" onSubmit={(event) => void submit(event)}>
      <Field label={t.devices.label}>
        <input
          name="label"
          required
          maxLength={120}
          value={label.value}
          onInput={({ currentTarget }) => (label.value = currentTarget.value)}
        />
      </Field>
      <button>{t.devices.saveLabel}</button>
    </form>
  )
}

function Lease({ device, onChanged }: DeviceDetailsProps) {
  const { serial, lease } = device
  const params = { serial }
  const take = () => attempt(() => call(leaseDevice, { params, body: {} }), onChanged)
  const release = () =>
    attempt(
      () => call(releaseDevice, { params, body: lease === undefined ? {} : { lease_id: lease.lease_id } }),
      onChanged,
    )
  return (
    <div class="lease">
      <h3>{t.devices.lease}</h3>
      <p class="hint">
        {lease === undefined
          ? t.devices.leaseFree
          : `${t.devices.leaseUntil(lease.owner_user_id)} ${formatDateTime(lease.expires_at)}`}
      </p>
      <div class="buttons">
        <button type="button" onClick={() => void take()}>
          {lease === undefined ? t.devices.takeLease : t.devices.renewLease}
        </button>
        {lease !== undefined && (
          <button type="button" onClick={() => void release()}>
            {t.devices.releaseLease}
          </button>
        )}
      </div>
    </div>
  )
}
