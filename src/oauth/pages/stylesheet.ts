/** The one stylesheet of all pages: system fonts, dark and light, down to the width of a phone. */
export const STYLESHEET = `
:root{color-scheme:light dark;--ground:#eef1f5;--card:#fff;--text:#1a2230;--quiet:#566173;--line:#d5dbe4;--edge:#828d9e;--accent:#1457d9;--on-accent:#fff;--note:#eef4ff;--note-line:#b9cffa;--warn:#fff6e5;--warn-line:#e8b64c;--error:#fdecec;--error-line:#d9534f}
@media (prefers-color-scheme:dark){:root{--ground:#0f141b;--card:#19202a;--text:#e7ecf3;--quiet:#9aa7b8;--line:#323d4c;--edge:#6f7f94;--accent:#7aa7ff;--on-accent:#0b1526;--note:#1a2740;--note-line:#38538a;--warn:#2e2613;--warn-line:#a9812f;--error:#351c1d;--error-line:#c9605c}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:24px 16px;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{width:100%;max-width:460px;background:var(--card);border:1px solid var(--line);border-radius:14px;padding:32px;box-shadow:0 8px 30px rgb(10 20 40/.07)}
.brand{display:flex;align-items:center;gap:10px;margin:0 0 22px;font-size:14px;font-weight:600;color:var(--quiet)}
.brand svg{width:22px;height:22px;color:var(--accent)}
h1{margin:0 0 8px;font-size:23px;line-height:1.25;letter-spacing:-.01em;text-wrap:balance;overflow-wrap:anywhere}
p{margin:0 0 16px}
.quiet{color:var(--quiet);font-size:14px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:8px 18px;margin:20px 0;padding:14px 16px;border:1px solid var(--line);border-radius:10px;font-size:15px}
dt{color:var(--quiet)}
dd{margin:0;font-weight:600;overflow-wrap:anywhere}
.note{margin:0 0 18px;padding:12px 14px;border:1px solid var(--note-line);border-radius:10px;background:var(--note);font-size:14px}
.warn{border-color:var(--warn-line);background:var(--warn)}
.error{border-color:var(--error-line);background:var(--error)}
label{display:block}
.field{margin:0 0 16px}
.field>label{margin-bottom:5px;font-size:14px;font-weight:600}
.field .quiet{margin:5px 0 0}
input[type=text],input[type=password]{width:100%;padding:11px 12px;border:1px solid var(--edge);border-radius:9px;background:transparent;color:inherit;font:inherit}
fieldset{margin:0 0 20px;padding:0;border:0;min-width:0}
legend{padding:0;margin-bottom:8px;font-size:14px;font-weight:600}
.choice{display:flex;gap:11px;padding:11px 13px;border:1px solid var(--line);border-radius:10px;margin-bottom:8px;cursor:pointer}
.choice:has(:checked){border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
.choice span{min-width:0;overflow-wrap:anywhere}
.choice small{display:block;color:var(--quiet);font-size:13.5px}
.within{margin:0 0 8px 30px}
input[type=radio],input[type=checkbox]{flex:none;width:18px;height:18px;margin:3px 0 0;accent-color:var(--accent)}
.actions{display:flex;gap:10px;margin-top:24px}
button{flex:1;padding:12px 16px;border:1px solid var(--edge);border-radius:10px;background:transparent;color:inherit;font:inherit;font-weight:600;cursor:pointer}
button.main{border-color:var(--accent);background:var(--accent);color:var(--on-accent)}
button:hover{filter:brightness(1.08)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
pre{margin:0 0 16px;padding:14px;border:1px solid var(--line);border-radius:10px;background:var(--ground);font:13.5px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}
footer{margin-top:18px;color:var(--quiet);font-size:13px;text-align:center}
@media (max-width:480px){body{justify-content:flex-start;padding:14px 10px}main{padding:22px 18px}dl{grid-template-columns:1fr;gap:2px}dd{margin-bottom:8px}}
`;
