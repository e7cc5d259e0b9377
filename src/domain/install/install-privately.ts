import { startInstall } from './start-install.ts'
import type { InstallPrivately } from '../validation/finish-run.ts'

/** For somebody who asked beforehand to have what passes its tests; never for more than themselves. */
export const installPrivately: InstallPrivately = (ctx, { proposal_id }) => {
  startInstall(ctx, proposal_id, {
    kind: 'install',
    lane: 'experimental_private',
    privileged: false,
  })
}
