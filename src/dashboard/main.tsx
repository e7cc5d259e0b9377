import { render } from 'preact'
import { App } from './app/app.tsx'
import { loadSaid } from './text/say.ts'
import { loadText } from './text/text.ts'
import { applyTheme } from './app/theme.ts'

applyTheme()
await loadText()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
void loadSaid().catch(() => undefined)
