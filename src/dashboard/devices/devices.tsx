import { type Device, listDevices } from '@apprentice/contracts/devices/device.ts'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Empty, ReadFailure, Skeleton, StateBadge } from '../parts/basic.tsx'
import { toWatch } from '../learn/shortcuts.ts'
import { Icon } from '../parts/icon.tsx'
import { nameDevice } from '../phone/name-device.ts'
import { Phone } from '../phone/phone.tsx'
import { t } from '../text/text.ts'
import { DeviceDetails } from './device-details.tsx'
import { Executions } from './executions.tsx'
import { Recordings } from './recordings.tsx'

const POLL_MS = 5000

/** The list of phones; of one of them the live screen, details, recordings and executions. */
export function Devices({ serial }: { readonly serial?: string }) {
  useTitle(t.nav.devices)
  const { data, failure, reload } = useResource('devices', () => call(listDevices), { pollMs: POLL_MS })
  const devices = data.value?.devices ?? []
  const wanted = serial === undefined ? undefined : decodeURIComponent(serial)
  const displayed = devices.find((device) => device.serial === wanted) ?? devices[0]
  return (
    <>
      <h1>{t.nav.devices}</h1>
      {failure.value !== undefined && <ReadFailure message={failure.value} onRetry={() => void reload()} />}
      {data.value === undefined && failure.value === undefined && <Skeleton />}
      {data.value !== undefined && displayed === undefined && (
        <Empty icon="phone" title={t.devices.none}>
          <p>{t.devices.connect}</p>
        </Empty>
      )}
      {displayed !== undefined && (
        <div class="columns">
          <div>
            <ul class="devices">
              {devices.map((device) => (
                <Card key={device.serial} device={device} isChosen={device === displayed} />
              ))}
            </ul>
            <DeviceDetails key={`details/${displayed.serial}`} device={displayed} onChanged={reload} />
            <Recordings key={`recordings/${displayed.serial}`} serial={displayed.serial} />
            <Executions key={displayed.serial} serial={displayed.serial} />
          </div>
          <div class="phone-column">
            <Phone key={displayed.serial} device={displayed} />
            <p class="phone-shortcut">
              <a class="button" href={toWatch(displayed.serial)} title={t.shortcuts.watchHint}>
                <Icon name="activity" /> {t.shortcuts.watch}
              </a>
            </p>
          </div>
        </div>
      )}
    </>
  )
}

function Card({ device, isChosen }: { readonly device: Device; readonly isChosen: boolean }) {
  const { serial, state, simulated, lease, queue_depth } = device
  return (
    <li>
      <a href={`/devices/${encodeURIComponent(serial)}`} class="card" aria-current={isChosen ? 'true' : undefined}>
        <strong>{nameDevice(device)}</strong>
        <span class="badges">
          <StateBadge state={state} />
          {simulated && <Badge>{t.devices.simulated}</Badge>}
          {lease !== undefined && <Badge tone="busy">{t.devices.inUse(lease.owner_user_id)}</Badge>}
          {queue_depth > 0 && <Badge tone="busy">{t.devices.queued(queue_depth)}</Badge>}
        </span>
      </a>
    </li>
  )
}
