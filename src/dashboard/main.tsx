import { render } from 'preact'
import { App } from './app/app.tsx'
import { loadText } from './text/text.ts'
import { applyTheme } from './app/theme.ts'

applyTheme()
await loadText()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
