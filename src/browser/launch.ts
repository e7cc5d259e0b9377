import { type Browser, chromium } from 'playwright-core'

export interface LaunchedBrowser {
  readonly browser: Browser
  /** Whether the browser contains its pages in its own sandbox. */
  readonly sandboxed: boolean
}

const SWITCHES = [
  '--disable-gpu',
  // All traffic goes through the request gate of a run. QUIC and WebRTC would send datagrams of their own.
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // The gate resolves names, once per run. The browser itself can resolve none.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--deny-permission-prompts',
  '--js-flags=--max-old-space-size=1024',
]

const LAUNCH_TIMEOUT_MS = 60_000

/** Starts Chromium without a window, in its sandbox if the system allows that. Chromium refuses it to the user root. */
export async function launchBrowser(executable: string): Promise<LaunchedBrowser> {
  if (process.getuid?.() === 0) return { browser: await launch(executable, false), sandboxed: false }
  try {
    return { browser: await launch(executable, true), sandboxed: true }
  } catch (error) {
    // Kernels without user namespaces for ordinary users.
    if (!/sandbox/i.test(String(error))) throw error
    return { browser: await launch(executable, false), sandboxed: false }
  }
}

const launch = (executablePath: string, chromiumSandbox: boolean): Promise<Browser> =>
  chromium.launch({
    executablePath,
    chromiumSandbox,
    args: SWITCHES,
    timeout: LAUNCH_TIMEOUT_MS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
